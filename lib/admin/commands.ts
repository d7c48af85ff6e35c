/** The operator's commands, and how they are found. Each returns the lines it prints. */

import { resolve } from 'node:path';
import type * as z from 'zod/mini';
import * as createOrganization from '../../shared/operations/organizations/create-organization.ts';
import * as limitOrganization from '../../shared/operations/organizations/limit-organization.ts';
import * as createSignInLink from '../../shared/operations/sessions/create-sign-in-link.ts';
import * as createToken from '../../shared/operations/tokens/create-token.ts';
import * as deleteToken from '../../shared/operations/tokens/delete-token.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { DAY_MILLISECONDS } from '../../shared/protocol/time.ts';
import { signInLinkPath } from '../../shared/runtime/http/session-cookie.ts';
import type { TokenInfo } from '../../shared/store/api-tokens.ts';
import type { CreatedToken } from '../../shared/store/organizations.ts';
import { CommandError, commandLine, read } from '../terminal/command-line.ts';
import type { AdminDependencies, Commands, Options } from './command.ts';
import { deadLetterCommands } from './dead-letter-commands.ts';
import { enforcementCommands } from './enforcement-commands.ts';
import { folderCommands } from './folder-commands.ts';
import { mailboxCommands } from './mailbox-commands.ts';
import { notificationCommands } from './notification-commands.ts';
import { audited, inputFor, perform } from './perform.ts';
import { restoreCommands } from './restore/restore-commands.ts';
import { LOCAL_SENDER, sendTest } from './send-test.ts';
import { shareCommands } from './share-commands.ts';
import type { Checked } from './verify-data.ts';

const onDomain = { '--org <org>': 'the organization that owns the domain, if several have registered it' };

const commands: Commands = {
  'org create': {
    args: '<name...>',
    says: 'create an organization',
    async run(words, _options, deps) {
      const input = inputFor(createOrganization.operation.input, { name: words.join(' ') });
      const done = await createOrganization.createOrganization(input, deps);
      const { id, name } = await audited(createOrganization.operation, done.value.id, deps, done);
      return [`${id}  ${name}`];
    },
  },

  'org list': {
    says: 'list all organizations',
    async run(_args, _options, { organizations }) {
      return (await organizations.list()).map(({ id, name, createdAt }) => `${id}  ${createdAt}  ${name}`);
    },
  },

  'org limit': {
    args: '<org> <limit>',
    says: 'set how many domains it can register: a number, or "default"',
    async run([id, limit]: [string, string], _options, deps) {
      const organization = await existing(id, deps);
      const domains = numberOrDefault(limit);
      await changeLimits(organization.id, { domains }, deps);
      return [
        `${organization.id} can register ${domains === null ? 'the default number of domains' : pluralize(domains, 'domain')}`,
      ];
    },
  },

  'org threshold': {
    args: '<org> <score>',
    says: 'alert when the score of a domain falls below this: a number, or "default"',
    async run([id, threshold]: [string, string], _options, deps) {
      const organization = await existing(id, deps);
      const scoreThreshold = numberOrDefault(threshold);
      await changeLimits(organization.id, { scoreThreshold }, deps);
      return [
        `${organization.id} is alerted below ${scoreThreshold === null ? 'the default score' : `a score of ${scoreThreshold}`}`,
      ];
    },
  },

  'token create': {
    args: '<org>',
    says: 'create an API token, which is shown only once',
    options: {
      '--name <name>': 'what it is for',
      '--expires <days>': 'how long it works (default: always)',
      '--scope <scope>': 'read, write or admin (default: admin)',
    },
    async run([id]: [string], { name = 'unnamed', expires, scope = 'admin' }, deps) {
      const organization = await existing(id, deps);
      const expiresAt = expires === undefined ? null : daysFrom(deps.clock.now(), expires).toISOString();
      return [(await issue(organization.id, { name, scope, expiresAt }, deps)).token];
    },
  },

  'token list': {
    args: '<org>',
    says: 'list its tokens: hash prefix, dates, and name',
    async run([id]: [string], _options, deps) {
      const organization = await existing(id, deps);
      return (await deps.organizations.listTokens(organization.id)).map(describeToken);
    },
  },

  console: {
    args: '<org>',
    says: 'print a link that signs in to the console once, within 15 minutes',
    async run([id]: [string], _options, deps) {
      const organization = await existing(id, deps);
      const url = deps.hostUrl();
      const linking = { ...deps, label: deps.serviceLabel() };
      const link = await perform(createSignInLink.operation, organization.id, deps, (caller) =>
        createSignInLink.createSignInLink(caller, linking),
      );
      return [`${url}${signInLinkPath(link)}`];
    },
  },

  ...notificationCommands,
  ...mailboxCommands,
  ...deadLetterCommands,
  ...enforcementCommands,
  ...shareCommands,
  ...restoreCommands,

  // Archives take longer to load than most commands to run.
  export: {
    args: '<file>',
    says: 'write everything of all organizations to a new file, for "import" on another host; goes on with one that was interrupted',
    options: {
      '--org <org>': 'only this organization',
      '--secrets': 'include the URLs and secrets of webhooks, and the passwords of mailboxes, in the clear',
    },
    run: async ([file]: [string], options, deps) =>
      (await import('./move/export.ts')).exportOrganizations(resolve(file), options, deps),
  },
  import: {
    args: '<file>',
    says: 'bring the organizations of a file of "export" to this host; goes on with one that was interrupted',
    run: async ([file]: [string], _options, deps) =>
      (await import('./move/import.ts')).importArchive(resolve(file), deps),
  },

  // Reading mail takes longer to load than most commands to run.
  replay: {
    args: '<domain>',
    says: 'read stored report mails again and replace their earlier results',
    options: {
      '--outcome <kind>': 'an outcome or "all" (default: mails with anything that did not become a report)',
      ...onDomain,
    },
    run: async (args: [string], ...given) => (await import('./replay.ts')).replay(args, ...given),
  },
  'import-reports': {
    args: '<domain> <path...>',
    says: 'import old reports from files, folders, mbox, Maildir; safe to repeat',
    options: onDomain,
    run: async (args: [string], ...given) =>
      (await import('./import-reports.ts')).importReports(args, ...given),
  },
  demo: {
    says: 'register and verify the example domains of the service on this machine, import sample reports about them, and have alerts written to its outbox as mails',
    run: async (...given) => (await import('./demo/demo.ts')).demo(...given),
  },
  'send-test': {
    args: '[address]',
    says: 'send a message to the service on this machine, by default to a new test address, and print the verdict of the mail tester',
    options: { '--from <sender>': `the sender (default: ${LOCAL_SENDER})` },
    run: sendTest,
  },

  'token revoke': {
    args: '<org> <hash>',
    says: 'revoke the token whose hash starts with this, immediately',
    options: { '--created': 'also the tokens that it created, that these created, and so on' },
    async run([id, begin]: [string, string], { created }, deps) {
      const organization = await existing(id, deps);
      const hash = begin;
      const tokens = await deps.organizations.listTokens(organization.id);
      const [token, ...others] = tokens.filter((it) => it.hash.startsWith(hash));
      if (token === undefined)
        throw new CommandError(`no token of ${organization.id} has a hash that starts with ${hash}`);
      if (others.length > 0)
        throw new CommandError(`several tokens have a hash that starts with ${hash}; use a longer prefix`);
      if (token.revokedAt !== null && !created)
        throw new CommandError(
          `the token is revoked already: ${token.hash.slice(0, HASH_SHOWN)}  ${token.name}`,
        );
      const input = { id: token.id, ...(created && { created: 'revoke' as const }) };
      const revoked = await perform(deleteToken.operation, organization.id, deps, (caller) =>
        deleteToken.deleteToken(caller, input, deps),
      );
      return revoked.map((one) => `revoked ${one.hash.slice(0, HASH_SHOWN)}  ${one.name}`);
    },
  },
};

/** How many characters of a hash lists show; enough to be unique. */
const HASH_SHOWN = 12;

/** Where the stores of the commands are. */
export interface Place {
  readonly outputs?: string;
  readonly table?: string;
  readonly bucket?: string;
}

/** A command that was found: one on the stores, or one on the files of the data folder. */
type Found =
  | { readonly kind: 'stores'; run(deps: AdminDependencies): Promise<string[]> }
  | { readonly kind: 'folder'; run(folder: string): Promise<Checked> };

interface AdminCommand {
  readonly found: Found;
  readonly place: Place;
}

/**
 * Finds the command of the arguments, and returns a function that runs it.
 * @throws CommandError if there is no such command, or if its arguments are not as it needs them. Help if they ask for it.
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
    const added = topic.command(second ?? first).description(command.says);
    if (command.args !== undefined) added.arguments(command.args);
    for (const [flags, says] of Object.entries(command.options ?? {})) added.option(flags, says);
    added.action(() => {
      found.push({ kind: 'stores', run: (deps) => command.run(added.args, added.opts<Options>(), deps) });
    });
  }
  for (const [word, command] of Object.entries(folderCommands)) {
    const added = program.command(word).description(command.says);
    if (command.args !== undefined) added.arguments(command.args);
    added.action(() => {
      found.push({ kind: 'folder', run: (folder) => command.run(added.args, folder) });
    });
  }
  read(program, args);
  const [command] = found;
  if (command === undefined) throw new CommandError('there is no such command');
  return { found: command, place: program.opts<Place>() };
}

/** A whole number, or null for "default". */
function numberOrDefault(text: string): number | null {
  if (text === 'default') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CommandError(`${text} is not a number, or "default"`);
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

async function existing(id: string, { organizations }: AdminDependencies) {
  const organization = await organizations.get(id);
  if (organization === undefined) throw new CommandError(`organization not found: ${id}`);
  return organization;
}

function daysFrom(now: Date, days: string): Date {
  if (!/^\d{1,5}$/.test(days) || Number(days) === 0)
    throw new CommandError(`--expires must be a number of days: ${days}`);
  return new Date(now.getTime() + Number(days) * DAY_MILLISECONDS);
}

/** Creates a token with any rights. */
async function issue(organization: string, given: unknown, deps: AdminDependencies): Promise<CreatedToken> {
  const input = inputFor(createToken.operation.input, given);
  const creating = { ...deps, label: deps.serviceLabel() };
  return perform(createToken.operation, organization, deps, (caller) =>
    createToken.createToken(caller, input, creating),
  );
}

function describeToken({ hash, name, createdAt, expiresAt, revokedAt }: TokenInfo): string {
  const end = revokedAt === null ? `expires ${expiresAt ?? 'never'}` : `revoked ${revokedAt}`;
  return `${hash.slice(0, HASH_SHOWN)}  created ${createdAt}  ${end}  ${name}`;
}
