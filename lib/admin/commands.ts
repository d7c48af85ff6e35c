/** The operator's commands: organizations, their limits and their tokens, reports. Each returns the lines it prints. */
import type { ReportStores, Taking } from '../../shared/intake/take-reports.ts';
import type { Clock } from '../../shared/network/ports.ts';
import { counted } from '../../shared/pages/markup.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { MAX_DOMAIN_LIMIT, MAX_SCORE } from '../../shared/runtime/config.ts';
import type { DeliveryStore } from '../../shared/store/alerts/deliveries.ts';
import type { NotificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import type { DomainStore } from '../../shared/store/domains/domains.ts';
import type { OrganizationStore, TokenInfo } from '../../shared/store/organizations.ts';
import type { RawMessages } from '../../shared/store/raw-messages.ts';
import { CommandError, readCommandLine } from '../local/command-line.ts';
import { notificationCommands } from './notification-commands.ts';
import type { Progress } from './progress.ts';
import { importReports, replay } from './report-commands.ts';
import { required } from './required.ts';

export interface AdminParts {
  readonly organizations: OrganizationStore;
  readonly clock: Clock;
  readonly domains: DomainStore;
  readonly notifications: NotificationSettingsStore;
  readonly deliveries: DeliveryStore;
  /** Whether webhooks may be dialled at addresses that are not public. */
  readonly allowPrivateAddresses: boolean;
  readonly progress: Progress;
  // What follows is opened or asked for by the command that needs it, which is refused where it is not known.
  /** The service's own name, with which tokens begin. */
  readonly serviceLabel: () => string;
  /** Domains whose mail the service receives. */
  readonly ownDomains: () => readonly string[];
  readonly stores: () => ReportStores;
  readonly unauthenticated: () => Taking['unauthenticated'];
  readonly raw: () => RawMessages;
  readonly dns: () => Dns;
}

export const usage = `Usage: npm run admin -- <command>

  org create <name>                      make an organization
  org list                               all organizations
  org limit <org> <number | default>     how many domains it may register
  org threshold <org> <number | default> below which score it is alerted
  token create <org> [--name <name>] [--expires <days>]
                                         make an API token; it is shown this once
  token list <org>                       its tokens: name, begin of hash, dates
  token revoke <org> <begin of hash>     make a token worthless at once

  notify show <org>                      whom it wants to be told of alerts
  notify mail <org> <address>            tell them by mail
  notify webhook <org> <https URL>       tell them by requests, signed with a secret that is shown this once
  notify off <org> [mail | webhook]      tell nobody any more
  notify threshold <org> <info | warning | critical> [mail | webhook]
                                         from which severity on alerts are told at once
  notify digest <org> <hour | default | off>
                                         the hour (UTC) of the mail that tells all others of the day
  notify test <org>                      tell them something, to see that it works

  replay <domain> [--outcome <kind>]     read kept report mails again: those with an outcome of this kind, or
                                         "all", by default all in which something did not become a report;
                                         what is read now takes the place of what was read before
  import-reports <domain> <path>...      read old reports in: files, folders, mbox, Maildir, .msg; safe to repeat

Options: --org <org>       whose domain, where several organizations have it
         --outputs <file>  the deployment of which "cdk deploy --outputs-file <file>" wrote, its settings included
                           (credentials as the AWS SDK finds them); without it what is in DATA_DIR
         --table <name>    another table than the outputs tell; or without them, and then the keys of the environment
         --bucket <name>   that a command goes by must be set; and so the bucket of received mail, for replay`;

type Command = (args: readonly string[], options: Options, parts: AdminParts) => Promise<string[]>;

export interface Options {
  readonly name?: string | undefined;
  readonly outcome?: string | undefined;
  readonly org?: string | undefined;
  readonly expires?: string | undefined;
}

const commands: Readonly<Record<string, Command>> = {
  async 'org create'(words, _options, { organizations, clock }) {
    const organization = await organizations.create(readName(words.join(' ')), clock.now());
    return [`${organization.id}  ${organization.name}`];
  },

  async 'org list'(_args, _options, { organizations }) {
    return (await organizations.list()).map(({ id, name, createdAt }) => `${id}  ${createdAt}  ${name}`);
  },

  async 'org limit'([id, limit], _options, parts) {
    const organization = await existing(id, parts);
    const number = numberOrDefault(limit, 'a number of domains', MAX_DOMAIN_LIMIT);
    await parts.organizations.setDomainLimit(organization.id, number);
    return [
      `${organization.id} may register ${number === null ? 'the default number of domains' : counted(number, 'domain')}`,
    ];
  },

  async 'org threshold'([id, threshold], _options, parts) {
    const organization = await existing(id, parts);
    const number = numberOrDefault(threshold, 'a score', MAX_SCORE);
    await parts.organizations.setScoreThreshold(organization.id, number);
    return [`${organization.id} is alerted below ${number === null ? 'the default score' : number}`];
  },

  async 'token create'([id], { name = 'unnamed', expires }, parts) {
    const organization = await existing(id, parts);
    const { clock, organizations } = parts;
    const label = parts.serviceLabel();
    const now = clock.now();
    const expiresAt = expires === undefined ? null : daysFrom(now, expires);
    return [await organizations.issueToken(organization.id, { name: readName(name), label, expiresAt }, now)];
  },

  async 'token list'([id], _options, parts) {
    const organization = await existing(id, parts);
    return (await parts.organizations.listTokens(organization.id)).map(describeToken);
  },

  ...notificationCommands,

  replay,
  'import-reports': importReports,

  async 'token revoke'([id, begin], _options, parts) {
    const organization = await existing(id, parts);
    const hash = required(begin, 'the begin of a hash, as "token list" shows it');
    const tokens = await parts.organizations.listTokens(organization.id);
    const [token, ...others] = tokens.filter((it) => it.hash.startsWith(hash));
    if (token === undefined) throw new CommandError(`no token of ${organization.id} begins with ${hash}`);
    if (others.length > 0) throw new CommandError(`several tokens begin with ${hash}; give more of it`);
    await parts.organizations.revokeToken(token, parts.clock.now());
    return [`revoked ${token.hash.slice(0, HASH_SHOWN)}  ${token.name}`];
  },
};

/** How much of a hash lists show: enough to be unique. */
const HASH_SHOWN = 12;

/** The words and options of all commands, for whoever has to look for `--outputs` before a table can be opened. */
export const parseAdminArguments = (args: readonly string[]) =>
  readCommandLine(args, ['name', 'expires', 'outcome', 'org', 'outputs', 'table', 'bucket']);

/**
 * Finds the command that was typed; what it returns runs it.
 * @throws CommandError when there is none; running it, when it is incomplete or names what is not there.
 */
export function adminCommand(args: readonly string[]): (parts: AdminParts) => Promise<string[]> {
  const { words, values } = parseAdminArguments(args);
  for (const length of [1, 2]) {
    const name = words.slice(0, length).join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command !== undefined) return (parts) => command(words.slice(length), values, parts);
  }
  const [topic] = words;
  if (topic === undefined) throw new CommandError('a command is missing', usage);
  const related = Object.keys(commands).filter((name) => name.startsWith(`${topic} `));
  const there = related.length > 0 ? `there is ${related.join(', ')}` : '"npm run admin" shows all';
  throw new CommandError(`unknown command: ${words.slice(0, 2).join(' ')}; ${there}`);
}

const MAX_NAME = 200;

/** A name that lists can show: on one line, and without characters that a terminal obeys. */
function readName(text: string): string {
  const name = required(text, 'a name');
  if (/\p{Cc}/u.test(name)) throw new CommandError('a name holds no control characters');
  if (name.length > MAX_NAME) throw new CommandError(`a name holds at most ${MAX_NAME} characters`);
  return name;
}

/** A whole number up to `maximum`, or null for "default". */
function numberOrDefault(text: string | undefined, what: string, maximum: number): number | null {
  if (text === 'default') return null;
  const digits = required(text, `${what} or "default"`);
  if (/^\d{1,9}$/.test(digits) && Number(digits) <= maximum) return Number(digits);
  throw new CommandError(`not ${what} from 0 to ${maximum}: ${text}`);
}

async function existing(id: string | undefined, { organizations }: AdminParts) {
  const organization = await organizations.get(required(id, 'an organization'));
  if (organization === undefined) throw new CommandError(`no such organization: ${id}`);
  return organization;
}

function daysFrom(now: Date, days: string): Date {
  if (!/^\d{1,5}$/.test(days) || Number(days) === 0) throw new CommandError(`not a number of days: ${days}`);
  return new Date(now.getTime() + Number(days) * 86_400_000);
}

function describeToken({ hash, name, createdAt, expiresAt, revokedAt }: TokenInfo): string {
  const end = revokedAt === null ? `expires ${expiresAt ?? 'never'}` : `revoked ${revokedAt}`;
  return `${hash.slice(0, HASH_SHOWN)}  created ${createdAt}  ${end}  ${name}`;
}
