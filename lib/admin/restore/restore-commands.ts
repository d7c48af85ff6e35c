/** The operator's commands that restore the table of a deployment, and the drill that shows whether they would work. */
import { inboundMail } from '../../../functions/triggers.ts';
import type {
  EndedAgain,
  FinishDependencies,
  Finished,
} from '../../../shared/operations/restore/finish-restore.ts';
import * as rehearsing from '../../../shared/operations/restore/rehearse-restore.ts';
import * as restoring from '../../../shared/operations/restore/restore-table.ts';
import { pluralize } from '../../../shared/protocol/quantity.ts';
import type { Table } from '../../../shared/store/table.ts';
import { UsageError } from '../../terminal/command-line.ts';
import type { AdminDependencies, Commands, Options } from '../command.ts';
import { accepted, inputFor } from '../perform.ts';
import { Tally } from '../tally.ts';
import { tableRecovery } from './restored-table.ts';

const LOST = 'lost';

/** Reading mail takes longer to load than most commands to run. */
const finishing = () => import('../../../shared/operations/restore/finish-restore.ts');

export const restoreCommands: Commands = {
  'table restore': {
    args: '<new-table>',
    says: 'restore the table of the deployment, as it was at a time, into a new table; go on with one that was begun',
    example: '--outputs outputs.json table restore restored --at 2026-01-31T12:00:00Z',
    options: { '--at <time>': 'the point to which it is restored, such as 2026-01-31T12:00:00Z' },
    async run([to]: [string], { at }, deps) {
      const { table } = deps;
      const recovery = tableRecovery(deps.deployment().client);
      const input = inputFor(restoring.operation.input, { to, at });
      await restoring.restoreTable(input, { table, recovery });
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
      const { finishRestore, operation } = await finishing();
      const old = oldTable(options, deps);
      if (old?.name === deps.table.name)
        throw new UsageError(`${deps.table.name} is the old table: select the restored one with --table`);
      const { at, since, keepDomains } = options;
      const input = inputFor(operation.input, { at, since, keepDomains });
      const finished = accepted(await finishRestore(input, finishingWith(deps, old))).value;
      deps.progress.end();
      return linesOf(finished, deps.table);
    },
  },
  drill: {
    says: 'restore the latest state of the table into a new table, as after a loss, check it, say how long it took, and delete it; exits with 1 if anything is wrong',
    example: '--outputs outputs.json drill',
    run: async (_args, _options, deps) => drill(deps),
  },
};

const finishingWith = (
  deps: Omit<AdminDependencies, 'setExitCode'>,
  old: Table | undefined,
): FinishDependencies => ({
  ...deps,
  old,
  ...{ stores: deps.stores(), raw: deps.raw(), dns: deps.dns() },
  unauthenticated: deps.setting('UNAUTHENTICATED_REPORTS'),
  reportsDomains: [deps.setting('REPORTS_DOMAIN'), ...deps.setting('FORMER_REPORTS_DOMAINS', [])],
  async mailsSince(since) {
    const { prefix } = inboundMail.reports;
    const objects = await deps.deployment().objectsSince(prefix, since);
    return objects.map(({ key, storedAt }) => ({
      ...{ messageId: key.slice(prefix.length), rawKey: key, receivedAt: storedAt },
    }));
  },
  onProgress: deps.progress.show,
});

async function drill({ setExitCode, ...deps }: AdminDependencies): Promise<string[]> {
  const { client, on } = deps.deployment();
  const { table, clock } = deps;
  const done = await rehearsing.rehearseRestore({
    ...{ table, clock, recovery: tableRecovery(client) },
    finishing: (copy) => finishingWith(on(copy), table),
  });
  deps.progress.end();
  const { at, begunAt, restoredAt, finishedAt, first, second, copy } = accepted(done).value;
  const problems = [
    ...endedLines(second.ended).filter((line) => !line.startsWith('0 ')),
    ...(second.mails.read === 0 ? [] : [`${second.mails.read} mails read`]),
  ];
  if (problems.length > 0) setExitCode(1);
  return [
    `restored ${table.name} as it was ${pluralize(secondsFrom(at, begunAt), 'second')} before: ${secondsFrom(begunAt, restoredAt)} s`,
    `made it fit for use: ${secondsFrom(restoredAt, finishedAt)} s`,
    ...linesOf(first, copy).map((line) => `  ${line}`),
    ...(problems.length === 0 ? ['the drill succeeded'] : problems.map((line) => `missed: ${line}`)),
  ];
}

const secondsFrom = (begin: Date, end: Date): number => Math.round((end.getTime() - begin.getTime()) / 1000);

function linesOf({ ended, since, mails }: Finished, { name }: Pick<Table, 'name'>): string[] {
  const { found, read, domains, storedAlready, unaddressed, outcomes } = mails;
  const tally = new Tally();
  for (const { rawKey, outcome } of outcomes) tally.add(rawKey, outcome);
  return [
    ...endedLines(ended),
    `${pluralize(found, 'mail')} since ${since.toISOString()}: ${read} read for ${pluralize(domains, 'domain')}, ${storedAlready} stored already, ${unaddressed} for no domain of the table ${name}`,
    ...tally.lines(),
  ];
}

const endedLines = ({ removedDomains, ...ended }: EndedAgain): string[] => [
  `${pluralize(ended.revokedTokens, 'token')} revoked again`,
  `${pluralize(ended.loweredRoles, 'role')} lowered again`,
  `${pluralize(ended.withdrawnInvitations, 'invitation')} withdrawn`,
  `${pluralize(ended.endedOperators, 'operator')} removed again`,
  `${pluralize(removedDomains.length, 'domain')} removed again${removedDomains.length === 0 ? '' : `: ${removedDomains.join(', ')}`}`,
  `${pluralize(ended.droppedNotifications, 'notification')} dropped that had been sent`,
];

function oldTable({ oldTable: name }: Options, deps: AdminDependencies): Table | undefined {
  if (name === undefined) throw new UsageError(`--old-table is required: the table before, or "${LOST}"`);
  return name === LOST ? undefined : deps.deployment().on(name).table;
}
