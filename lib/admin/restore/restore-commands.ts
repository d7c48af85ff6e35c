/** The operator's commands that restore the table of a deployment, and the drill that shows whether they would work. */
import { pluralize } from '../../../shared/protocol/quantity.ts';
import { UsageError } from '../../terminal/command-line.ts';
import type { AdminDependencies, Commands, Options } from '../command.ts';
import { type CarriedOver, carryOver, type Restored } from './carry-over.ts';
import { latestPoint, protect, removeTable, restoreTable } from './restored-table.ts';

/** How long before the point mails are looked for: they may have waited to be read. */
const EARLIER_MILLISECONDS = 3_600_000;

const LOST = 'lost';

/** Reading mail takes longer to load than most commands to run. */
const readAgain: typeof import('./read-again.ts').readAgain = async (...given) =>
  (await import('./read-again.ts')).readAgain(...given);

export const restoreCommands: Commands = {
  'table restore': {
    args: '<new-table>',
    says: 'restore the table of the deployment, as it was at a time, into a new table; go on with one that was begun',
    example: '--outputs outputs.json table restore restored --at 2026-01-31T12:00:00Z',
    options: { '--at <time>': 'the point to which it is restored, such as 2026-01-31T12:00:00Z' },
    async run([to]: [string], { at }, deps) {
      const { table } = deps;
      const { client } = deps.deployment();
      await restoreTable(client, { from: table.name, to, at: timeOf('--at', at) });
      await protect(client, to);
      return [
        `${to} is restored. Now: table finish --table ${to} --old-table ${table.name} --at ${at}`,
        'Then deploy with the setting restoredTable, and run "table finish" again.',
      ];
    },
  },
  'table finish': {
    says: 'make a restored table fit for use: what ended since stays ended, and report mails that arrived since are read; safe to repeat',
    example:
      '--outputs outputs.json --table restored table finish --old-table lost --at 2026-01-31T12:00:00Z',
    options: {
      '--at <time>': 'the point to which it was restored',
      '--old-table <table>': `the table before it; "${LOST}" revokes all tokens and drops what waits to be sent`,
      '--since <time>': 'read mails that arrived since (default: one hour before the point)',
      '--keep-domains': 'domains that were removed since are there again',
    },
    async run(_args, options, deps) {
      const { table } = deps;
      const old = oldTable(options, deps);
      if (old?.name === table.name)
        throw new UsageError(`${table.name} is the old table: select the restored one with --table`);
      const at = timeOf('--at', options.at);
      const restored = { table, old, at, keepsDomains: options.keepDomains ?? false };
      const ended = await carryOver(restored, deps);
      const read = await readAgain({ ...restored, at: since(options, at) }, deps);
      return [...linesOf(ended), ...read.lines];
    },
  },
  drill: {
    says: 'restore the latest state of the table into a new table, as after a loss, check it, say how long it took, and delete it; exits with 1 if anything is wrong',
    example: '--outputs outputs.json drill',
    run: async (_args, _options, deps) => drill(deps),
  },
};

async function drill(deps: AdminDependencies): Promise<string[]> {
  const { client, on } = deps.deployment();
  const old = deps.table;
  const begin = deps.clock.now();
  const at = await latestPoint(client, old.name);
  const name = `${old.name.slice(0, 200)}-drill-${begin.getTime()}`;
  const secondsSince = (from: Date) => Math.round((deps.clock.now().getTime() - from.getTime()) / 1000);
  try {
    await restoreTable(client, { from: old.name, to: name, at });
    const restoredAt = deps.clock.now();
    const copy = { ...on(name), setExitCode: deps.setExitCode };
    const restored: Restored = { table: copy.table, old, at, keepsDomains: false };
    const from = { ...restored, at: since({}, at) };
    const lines = [...linesOf(await carryOver(restored, copy)), ...(await readAgain(from, copy)).lines];
    // What a second run finds, the first one missed.
    const [missed, unread] = [await carryOver(restored, copy), (await readAgain(from, copy)).read];
    const problems = [...linesOf(missed).filter((line) => !line.startsWith('0 ')), ...unreadOf(unread)];
    if (problems.length > 0) deps.setExitCode(1);
    return [
      `restored ${old.name} as it was ${pluralize(Math.round((begin.getTime() - at.getTime()) / 1000), 'second')} before: ${secondsSince(begin) - secondsSince(restoredAt)} s`,
      `made it fit for use: ${secondsSince(restoredAt)} s`,
      ...lines.map((line) => `  ${line}`),
      ...(problems.length === 0 ? ['the drill succeeded'] : problems.map((line) => `missed: ${line}`)),
    ];
  } finally {
    await removeTable(client, name);
  }
}

const unreadOf = (unread: number): string[] => (unread === 0 ? [] : [`${unread} mails read`]);

const linesOf = ({
  revokedTokens,
  removedDomains,
  droppedNotifications,
  ...rights
}: CarriedOver): string[] => [
  `${pluralize(revokedTokens, 'token')} revoked again`,
  `${pluralize(rights.loweredRoles, 'role')} lowered again`,
  `${pluralize(rights.withdrawnInvitations, 'invitation')} withdrawn`,
  `${pluralize(rights.endedOperators, 'operator')} removed again`,
  `${pluralize(removedDomains.length, 'domain')} removed again${removedDomains.length === 0 ? '' : `: ${removedDomains.join(', ')}`}`,
  `${pluralize(droppedNotifications, 'notification')} dropped that had been sent`,
];

function oldTable({ oldTable: name }: Options, deps: AdminDependencies): Restored['old'] {
  if (name === undefined) throw new UsageError(`--old-table is required: the table before, or "${LOST}"`);
  return name === LOST ? undefined : deps.deployment().on(name).table;
}

const since = ({ since: given }: Pick<Options, 'since'>, at: Date): Date =>
  given === undefined ? new Date(at.getTime() - EARLIER_MILLISECONDS) : timeOf('--since', given);

/** A time with its zone. @throws CommandError */
function timeOf(option: string, text: string | undefined): Date {
  if (text === undefined) throw new UsageError(`${option} is required`);
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/.test(text) ? new Date(text) : undefined;
  if (time === undefined || Number.isNaN(time.getTime()))
    throw new UsageError(`${option} must be a time in UTC, such as 2026-01-31T12:00:00Z: ${text}`);
  return time;
}
