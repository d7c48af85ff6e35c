/** The operator's commands, and how they are found. Each returns the lines it prints. */

import type * as z from 'zod/mini';
import * as createOrganization from '../../shared/operations/organizations/create-organization.ts';
import * as limitOrganization from '../../shared/operations/organizations/limit-organization.ts';
import * as createToken from '../../shared/operations/tokens/create-token.ts';
import * as deleteToken from '../../shared/operations/tokens/delete-token.ts';
import { counted } from '../../shared/protocol/quantity.ts';
import { signInLinkPath } from '../../shared/runtime/http/session-cookie.ts';
import type { TokenInfo } from '../../shared/store/api-tokens.ts';
import type { CreatedToken } from '../../shared/store/organizations.ts';
import { LINK_SECONDS, SESSION_SECONDS } from '../../shared/store/sessions.ts';
import { CommandError, readCommandLine } from '../terminal/command-line.ts';
import type { AdminDependencies, Command } from './command.ts';
import { deadLetterCommands } from './dead-letter-commands.ts';
import { enforcementCommands } from './enforcement-commands.ts';
import { notificationCommands } from './notification-commands.ts';
import { audited, inputFor, perform } from './perform.ts';
import { required } from './required.ts';
import { LOCAL_SENDER, sendTest } from './send-test.ts';
import { shareCommands } from './share-commands.ts';

export const usage = `Usage: npm run admin -- <command>

  org create <name>                      create an organization
  org list                               list all organizations
  org limit <org> <number | default>     set how many domains it can register
  org threshold <org> <number | default> alert when the score of a domain falls below this
  token create <org> [--name <name>] [--expires <days>] [--scope <read | write | admin>]
                                         create an API token, by default with all rights; it is shown only once
  token list <org>                       list its tokens: hash prefix, dates, and name
  token revoke <org> <hash prefix> [--created]
                                         revoke a token immediately; with --created, also the tokens that it created,
                                         that these created, and so on

  console <org>                          print a link that signs in to the console once, within 15 minutes

  notify show <org>                      show where alerts are sent
  notify mail <org> <address>            send alerts by mail
  notify webhook <org> <https URL>       send alerts to a webhook; the signing secret is shown only once
  notify off <org> [mail | webhook]      stop notifications
  notify threshold <org> <info | warning | critical> [mail | webhook]
                                         send alerts immediately from this severity
  notify format <org> <json | slack | teams>
                                         write requests to the webhook as signed JSON, or as messages for Slack or
                                         Microsoft Teams
  notify events <org> <event>...         send these events to the webhook besides alerts: domain.verified,
                                        checks.completed, report.received, domain.unproven, token.created,
                                        attention.opened, attention.closed, or none
  notify digest <org> <daily | weekly [<weekday>]> [<hour> [<time zone>]]
                                         set when the digest is sent (default: weekly monday 6 UTC)
  notify digest <org> <hour | default | off>
                                         send it daily in an hour (UTC), by default, or never
  notify test <org>                      send a test notification

  replay <domain> [--outcome <kind>]     read stored report mails again and replace their earlier results; <kind> is
                                         an outcome or "all" (default: mails with anything that did not become a
                                         report)
  import-reports <domain> <path>...      import old reports from files, folders, mbox, Maildir; safe to repeat

  demo                                   register and verify the example domains of the service on this machine, import
                                         sample reports about them, and have alerts written to its outbox as mails
  send-test [<address>] [--from <sender>]
                                         send a message to the service on this machine, by default from ${LOCAL_SENDER} to
                                         a new test address, and print the verdict of the mail tester

  enforcement <domain>                   show whether the domain is ready for the next step of DMARC, and what blocks it
  senders <domain>                       list who sent as the domain in the last 30 days, with your decisions
  sender <domain> <sender> <approved | forwarder | unauthorized | none>
                                         decide about a sender, by its ID from "senders"
  simulate <domain> [--dmarc <record>] [--spf <record>] [--days <n>] [--max-unpredictable <percent>]
                                         replay proposed records against stored reports; exits with 2 if approved mail
                                         would be lost, and with 3 if more than this share is unpredictable

  share delete <spf | check> <id>        delete a saved result of the SPF checker or the domain checker; <id> is the
                                         last part of its link

  verify-data                            read all files in DATA_DIR, and say what is damaged or does not belong together;
                                         exits with 1 if anything is

  dead-letters list [<queue>]            list the messages that failed or were interrupted too often
  dead-letters redrive <queue> (--message <id> | --all)
                                         move them back to their queue to try again

Options: --json            print the result of enforcement and simulate as JSON
         --org <org>       the organization that owns the domain, if several have registered it
         --outputs <file>  stack outputs ("cdk deploy --outputs-file <file>") of the deployment to use; they contain its
                           settings (default: the local service in DATA_DIR); AWS credentials are those that the AWS
                           SDK finds
         --table <name>    table to use instead of the one in the outputs file
         --bucket <name>   bucket of received mail to use instead of the one in the outputs file, for replay

With --table but no outputs file, set the environment variables of the settings that the command needs.`;

/** A command that is loaded when it is called, because reading mail takes longer to load than most commands to run. */
const onDemand =
  (load: () => Promise<Command>): Command =>
  async (...given) =>
    (await load())(...given);

const commands: Readonly<Record<string, Command>> = {
  async 'org create'(words, _options, deps) {
    const input = inputFor(createOrganization.operation.input, { name: words.join(' ') });
    const done = await createOrganization.createOrganization(input, deps);
    const { id, name } = await audited(createOrganization.operation, done.value.id, deps, done);
    return [`${id}  ${name}`];
  },

  async 'org list'(_args, _options, { organizations }) {
    return (await organizations.list()).map(({ id, name, createdAt }) => `${id}  ${createdAt}  ${name}`);
  },

  async 'org limit'([id, limit], _options, deps) {
    const organization = await existing(id, deps);
    const domains = numberOrDefault(limit, 'a number of domains');
    await changeLimits(organization.id, { domains }, deps);
    return [
      `${organization.id} can register ${domains === null ? 'the default number of domains' : counted(domains, 'domain')}`,
    ];
  },

  async 'org threshold'([id, threshold], _options, deps) {
    const organization = await existing(id, deps);
    const scoreThreshold = numberOrDefault(threshold, 'a score');
    await changeLimits(organization.id, { scoreThreshold }, deps);
    return [
      `${organization.id} is alerted below ${scoreThreshold === null ? 'the default score' : `a score of ${scoreThreshold}`}`,
    ];
  },

  async 'token create'([id], { name = 'unnamed', expires, scope = 'admin' }, deps) {
    const organization = await existing(id, deps);
    const expiresAt = expires === undefined ? null : daysFrom(deps.clock.now(), expires).toISOString();
    return [(await issue(organization.id, { name, scope, expiresAt }, deps)).token];
  },

  async 'token list'([id], _options, deps) {
    const organization = await existing(id, deps);
    return (await deps.organizations.listTokens(organization.id)).map(describeToken);
  },

  async console([id], _options, deps) {
    const organization = await existing(id, deps);
    const { clock, sessions, hostUrl } = deps;
    const url = hostUrl();
    const now = clock.now();
    // The token is for this link only, is shown nowhere, and expires with the session.
    const expiresAt = new Date(now.getTime() + (LINK_SECONDS + SESSION_SECONDS) * 1000).toISOString();
    const { info } = await issue(organization.id, { name: 'console link', scope: 'admin', expiresAt }, deps);
    return [`${url}${signInLinkPath(await sessions.createLink(info, now))}`];
  },

  ...notificationCommands,
  ...deadLetterCommands,
  ...enforcementCommands,
  ...shareCommands,

  replay: onDemand(async () => (await import('./replay.ts')).replay),
  'import-reports': onDemand(async () => (await import('./import-reports.ts')).importReports),
  demo: onDemand(async () => (await import('./demo/demo.ts')).demo),
  'send-test': sendTest,

  async 'token revoke'([id, begin], { created }, deps) {
    const organization = await existing(id, deps);
    const hash = required(begin, 'a hash prefix from "token list"');
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
};

/** How many characters of a hash lists show; enough to be unique. */
const HASH_SHOWN = 12;

/** Parses the words and options of any command; also used to read `--outputs` before the table is opened. */
export const parseAdminArguments = (args: readonly string[]) =>
  readCommandLine(
    args,
    [
      'name',
      'expires',
      'scope',
      'outcome',
      'org',
      'message',
      'from',
      'outputs',
      'table',
      'bucket',
      'dmarc',
      'spf',
      'days',
      'max-unpredictable',
    ],
    ['all', 'json', 'created'],
  );

/**
 * Finds the command and returns a function that runs it.
 * @throws CommandError if the command is unknown. The returned function throws one if arguments are missing or invalid.
 */
export function adminCommand(args: readonly string[]): (deps: AdminDependencies) => Promise<string[]> {
  const { words, values, flags } = parseAdminArguments(args);
  const options = {
    ...values,
    all: flags.has('all'),
    json: flags.has('json'),
    created: flags.has('created'),
  };
  for (const length of [1, 2]) {
    const name = words.slice(0, length).join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command !== undefined) return (deps) => command(words.slice(length), options, deps);
  }
  const [topic] = words;
  if (topic === undefined) throw new CommandError('a command is missing', usage);
  const related = Object.keys(commands).filter((name) => name.startsWith(`${topic} `));
  const there =
    related.length > 0 ? `available: ${related.join(', ')}` : 'to list all commands, run "npm run admin"';
  throw new CommandError(`unknown command: ${words.slice(0, 2).join(' ')}; ${there}`);
}

/** A whole number, or null for "default". */
function numberOrDefault(text: string | undefined, what: string): number | null {
  const given = required(text, `${what} or "default"`);
  if (given === 'default') return null;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new CommandError(`${given} is not ${what}, or "default"`);
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

async function existing(id: string | undefined, { organizations }: AdminDependencies) {
  const organization = await organizations.get(required(id, 'an organization'));
  if (organization === undefined) throw new CommandError(`organization not found: ${id}`);
  return organization;
}

function daysFrom(now: Date, days: string): Date {
  if (!/^\d{1,5}$/.test(days) || Number(days) === 0)
    throw new CommandError(`--expires must be a number of days: ${days}`);
  return new Date(now.getTime() + Number(days) * 86_400_000);
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
