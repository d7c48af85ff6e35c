/** The operator's commands, and how they are found. Each returns the lines it prints. */
import type * as z from 'zod/mini';
import { audited } from '../../shared/operations/audit.ts';
import * as createOrganization from '../../shared/operations/organizations/create-organization.ts';
import * as limitOrganization from '../../shared/operations/organizations/limit-organization.ts';
import * as createSignInLink from '../../shared/operations/sessions/create-sign-in-link.ts';
import * as createToken from '../../shared/operations/tokens/create-token.ts';
import * as deleteToken from '../../shared/operations/tokens/delete-token.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { DAY_MILLISECONDS } from '../../shared/protocol/time.ts';
import { signInLinkPath } from '../../shared/runtime/http/session-cookie.ts';
import { isMember, type TokenInfo } from '../../shared/store/api-tokens.ts';
import type { CreatedToken } from '../../shared/store/organizations.ts';
import { tokensOf } from '../../shared/views/tokens.ts';
import { CommandError, commandLine, read, UsageError, withExample } from '../terminal/command-line.ts';
import { jsonLines } from '../terminal/text.ts';
import { alertCommands } from './alert-commands.ts';
import { type AdminDependencies, asJson, type Commands, type Options, onDomain } from './command.ts';
import { deadLetterCommands } from './dead-letter-commands.ts';
import type { Place } from './deployment.ts';
import { domainCommands } from './domain-commands.ts';
import { enforcementCommands } from './enforcement-commands.ts';
import { folderCommands } from './folder-commands.ts';
import { mailboxCommands } from './mailbox-commands.ts';
import { memberCommands } from './member-commands.ts';
import { moveCommands } from './move/move-commands.ts';
import { notificationCommands } from './notification-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { inputFor, perform } from './perform.ts';
import type { Progress } from './progress.ts';
import { restoreCommands } from './restore/restore-commands.ts';
import { LOCAL_SENDER, sendTest } from './send-test.ts';
import { shareCommands } from './share-commands.ts';
import type { Checked } from './verify-data.ts';

const commands: Commands = {
  'org create': {
    args: '<name...>',
    says: 'create an organization',
    example: 'org create Example Ltd',
    async run(words, _options, deps) {
      const input = inputFor(createOrganization.operation.input, { name: words.join(' ') });
      const done = await createOrganization.createOrganization(input, deps);
      const { id, name } = await audited(createOrganization.operation, done.value.id, deps, done);
      return [`${id}  ${name}`];
    },
  },

  'org list': {
    says: 'list all organizations',
    example: 'org list',
    options: { '--json': 'print JSON: the ID, the name and the time of creation of each' },
    async run(_args, { json }, { organizations }) {
      const all = await organizations.list();
      if (json) return jsonLines(all.map(({ id, name, createdAt }) => ({ id, name, createdAt })));
      return all.map(({ id, name, createdAt }) => `${id}  ${createdAt}  ${name}`);
    },
  },

  'org limit': {
    args: '<org> <limit>',
    says: 'set how many domains it can register: a number, or "default"',
    example: 'org limit default 500',
    async run([organization, limit]: [string, string], _options, deps) {
      const domains = numberOrDefault(limit);
      await changeLimits(organization, { domains }, deps);
      return [
        `${organization} can register ${domains === null ? 'the default number of domains' : pluralize(domains, 'domain')}`,
      ];
    },
  },

  'org threshold': {
    args: '<org> <score>',
    says: 'alert when the score of a domain falls below this: a number, or "default"',
    example: 'org threshold default 80',
    async run([organization, threshold]: [string, string], _options, deps) {
      const scoreThreshold = numberOrDefault(threshold);
      await changeLimits(organization, { scoreThreshold }, deps);
      return [
        `${organization} is alerted below ${scoreThreshold === null ? 'the default score' : `a score of ${scoreThreshold}`}`,
      ];
    },
  },

  'token create': {
    args: '<org>',
    says: 'create an API token, which is shown only once',
    example: 'token create default --name ci --scope read --expires 365',
    options: {
      '--name <name>': 'what it is for',
      '--expires <days>': 'how many days it works (default: it does not expire)',
      '--scope <scope>': 'read, write or admin (default: admin)',
    },
    async run([organization]: [string], { name = 'unnamed', expires, scope = 'admin' }, deps) {
      const expiresAt = expires === undefined ? null : daysFrom(deps.clock.now(), expires).toISOString();
      return [(await issue(organization, { name, scope, expiresAt }, deps)).token];
    },
  },

  'token list': {
    args: '<org>',
    says: 'list its tokens: hash prefix, dates, and name; as JSON, only those that were not revoked',
    example: 'token list default',
    options: asJson,
    async run([organization]: [string], { json }, deps) {
      if (json) return jsonLines(await tokensOf(organization, deps));
      return (await deps.organizations.listTokens(organization))
        .filter((one) => !isMember(one))
        .map(describeToken);
    },
  },

  console: {
    args: '<org>',
    says: 'print a link that signs in to the console once, within 15 minutes',
    example: 'console default',
    async run([organization]: [string], _options, deps) {
      const url = deps.hostUrl();
      const linking = { ...deps, label: deps.setting('SERVICE_LABEL') };
      const link = await perform(createSignInLink.operation, organization, deps, (caller) =>
        createSignInLink.createSignInLink(caller, linking),
      );
      return [`${url}${signInLinkPath(link)}`];
    },
  },

  ...domainCommands,
  ...alertCommands,
  ...notificationCommands,
  ...mailboxCommands,
  ...memberCommands,
  ...operatorCommands,
  ...deadLetterCommands,
  ...enforcementCommands,
  ...shareCommands,
  ...restoreCommands,
  ...moveCommands,

  // Reading mail takes longer to load than most commands to run.
  replay: {
    args: '<domain>',
    says: 'read stored report mails again and replace their earlier results',
    example: 'replay example.org --outcome over-quota',
    options: {
      '--outcome <kind>': 'an outcome or "all" (default: mails with anything that did not become a report)',
      ...onDomain,
    },
    run: async (args: [string], ...given) => (await import('./replay.ts')).replay(args, ...given),
  },
  'import-reports': {
    args: '<domain> <path...>',
    says: 'import old reports from files, folders, mbox, Maildir; safe to repeat',
    example: 'import-reports example.org reports.mbox Maildir/',
    options: onDomain,
    run: async (args: [string], ...given) =>
      (await import('./import-reports.ts')).importReports(args, ...given),
  },
  demo: {
    says: 'register and verify the example domains of the service on this machine, import sample reports about them, and have alerts written to its outbox as mails',
    example: 'demo',
    run: async (...given) => (await import('./demo/demo.ts')).demo(...given),
  },
  'send-test': {
    args: '[address]',
    says: 'send a message to the service on this machine, by default to a new test address, and print the verdict of the mail tester',
    example: 'send-test --from me@good.test',
    options: { '--from <sender>': `the sender (default: ${LOCAL_SENDER})` },
    run: sendTest,
  },

  'token revoke': {
    args: '<org> <hash>',
    says: 'revoke the token whose hash starts with this, or that has this ID, immediately',
    example: 'token revoke default 4c1f0ab2d9e3',
    options: {
      '--created':
        'also the tokens that it created and the members that it invited, what these created, and so on',
    },
    async run([organization, hash]: [string, string], { created }, deps) {
      const tokens = await deps.organizations.listTokens(organization);
      const [token, ...others] = tokens.filter(
        (it) => !isMember(it) && (it.hash.startsWith(hash) || it.id === hash),
      );
      if (token === undefined)
        throw new CommandError(`no token of ${organization} has a hash that starts with ${hash}`);
      if (others.length > 0)
        throw new CommandError(`several tokens have a hash that starts with ${hash}; use a longer prefix`);
      if (token.revokedAt !== null && !created)
        throw new CommandError(
          `the token is revoked already: ${token.hash.slice(0, HASH_SHOWN)}  ${token.name}`,
        );
      const input = { id: token.id, ...(created && { created: 'revoke' as const }) };
      const revoked = await perform(deleteToken.operation, organization, deps, (caller) =>
        deleteToken.deleteToken(caller, input, deps),
      );
      return revoked.map((one) => `revoked ${one.hash.slice(0, HASH_SHOWN)}  ${one.name}`);
    },
  },
};

/** The example in the help of each command, by its words. */
export const commandExamples: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ ...commands, ...folderCommands }).map(([words, { example }]) => [words, example]),
);

/** How many characters of a hash lists show; enough to be unique. */
const HASH_SHOWN = 12;

/** A command that was found: one on the stores, or one on the files of the data folder. */
type Found =
  | { readonly kind: 'stores'; run(deps: AdminDependencies): Promise<string[]> }
  | { readonly kind: 'folder'; run(folder: string, progress: Progress): Promise<Checked> };

interface AdminCommand {
  readonly found: Found;
  readonly place: Place;
}

/**
 * Finds the command of the arguments, and returns a function that runs it.
 * @throws UsageError if there is no such command, or if its arguments are not as it needs them. Help if they ask for it.
 */
export function readAdminArguments(args: readonly string[]): AdminCommand {
  const found: Found[] = [];
  const program = commandLine('admin')
    .option(
      '--outputs <file>',
      'stack outputs ("cdk deploy --outputs-file <file>") of the deployment to use; they contain its settings (default: the local service in DATA_DIR); AWS credentials are those that the AWS SDK finds',
    )
    .option(
      '--table <name>',
      'table to use instead of the one in the outputs file; set the environment variables of the settings that the command needs',
    )
    .option(
      '--bucket <name>',
      'bucket of received mail to use instead of the one in the outputs file, for replay and restore',
    );
  for (const [words, command] of Object.entries(commands)) {
    const [first = '', second] = words.split(' ');
    const topic =
      second === undefined
        ? program
        : (program.commands.find((one) => one.name() === first) ?? program.command(first));
    const added = withExample(topic.command(second ?? first), 'admin', command.example);
    added.description(command.says);
    if (command.args !== undefined) added.arguments(command.args);
    for (const [flags, says] of Object.entries(command.options ?? {})) added.option(flags, says);
    added.action(() => {
      async function run(deps: AdminDependencies): Promise<string[]> {
        if (command.args?.startsWith('<org>')) await requireOrganization(added.args[0] ?? '', deps);
        return command.run(added.args, added.opts<Options>(), deps);
      }
      found.push({ kind: 'stores', run });
    });
  }
  for (const [word, command] of Object.entries(folderCommands)) {
    const added = withExample(program.command(word), 'admin', command.example).description(command.says);
    if (command.args !== undefined) added.arguments(command.args);
    added.action(() => {
      found.push({ kind: 'folder', run: (folder, progress) => command.run(added.args, folder, progress) });
    });
  }
  read(program, args);
  const [command] = found;
  if (command === undefined) throw new UsageError('there is no such command');
  const place = program.opts<Place>();
  requirePlace(command, place);
  return { found: command, place };
}

/** An option that does not count would leave people in the belief that it does. @throws UsageError */
function requirePlace({ kind }: Found, { outputs, table, bucket }: Place): void {
  const [given] = Object.entries({ outputs, table, bucket }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (kind === 'folder' && given !== undefined)
    throw new UsageError(`--${given} has no effect here: the command works on the files in DATA_DIR`);
  if (bucket !== undefined && outputs === undefined && table === undefined)
    throw new UsageError('--bucket has an effect only with --outputs or --table');
}

/** @throws CommandError if there is no organization with this ID. */
async function requireOrganization(id: string, { organizations }: AdminDependencies): Promise<void> {
  if ((await organizations.get(id)) === undefined) throw new CommandError(`organization not found: ${id}`);
}

/** A whole number, or null for "default". */
function numberOrDefault(text: string): number | null {
  if (text === 'default') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`${text} is not a number, or "default"`);
}

async function changeLimits(
  organization: string,
  given: z.input<typeof limitOrganization.operation.input>,
  deps: AdminDependencies,
): Promise<void> {
  const input = inputFor(limitOrganization.operation.input, given);
  await perform(limitOrganization.operation, organization, deps, (caller) =>
    limitOrganization.limitOrganization(caller, input, deps),
  );
}

function daysFrom(now: Date, days: string): Date {
  if (!/^\d{1,5}$/.test(days) || Number(days) === 0)
    throw new UsageError(`--expires must be a number of days: ${days}`);
  return new Date(now.getTime() + Number(days) * DAY_MILLISECONDS);
}

/** Creates a token with any rights. */
async function issue(organization: string, given: unknown, deps: AdminDependencies): Promise<CreatedToken> {
  const input = inputFor(createToken.operation.input, given);
  const creating = { ...deps, label: deps.setting('SERVICE_LABEL') };
  return perform(createToken.operation, organization, deps, (caller) =>
    createToken.createToken(caller, input, creating),
  );
}

function describeToken({ hash, name, createdAt, expiresAt, revokedAt }: TokenInfo): string {
  const end = revokedAt === null ? `expires ${expiresAt ?? 'never'}` : `revoked ${revokedAt}`;
  return `${hash.slice(0, HASH_SHOWN)}  created ${createdAt}  ${end}  ${name}`;
}
