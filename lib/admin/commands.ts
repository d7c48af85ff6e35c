/** The operator's commands: organizations, their limits and their tokens, reports. Each returns the lines it prints. */
import { parseArgs } from 'node:util';
import type { ReportStores, Taking } from '../../shared/intake/take-reports.ts';
import type { Clock } from '../../shared/network/ports.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import type { DeliveryStore } from '../../shared/store/deliveries.ts';
import type { DomainStore } from '../../shared/store/domains.ts';
import type { NotificationSettingsStore } from '../../shared/store/notification-settings.ts';
import type { OrganizationStore, TokenInfo } from '../../shared/store/organizations.ts';
import type { RawMessages } from '../../shared/store/raw-messages.ts';
import { AdminError } from './admin-error.ts';
import { notificationCommands } from './notification-commands.ts';
import type { Progress } from './progress.ts';
import { importReports, replay } from './report-commands.ts';

export { AdminError };

export interface AdminParts extends Pick<Taking, 'unauthenticated'> {
  readonly organizations: OrganizationStore;
  readonly clock: Clock;
  /** The service's own name, with which tokens begin. */
  readonly serviceLabel: string;
  readonly domains: DomainStore;
  readonly notifications: NotificationSettingsStore;
  readonly deliveries: DeliveryStore;
  /** Domains whose mail the service receives. */
  readonly ownDomains: readonly string[];
  readonly progress: Progress;
  readonly stores: ReportStores;
  /** Opened by the command that needs it. */
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

Options: --org <org>      whose domain, where several organizations have it
         --table <name>   the table of a deployed stack (credentials and region as the AWS SDK finds them), and
         --bucket <name>  its bucket of received mail, for replay; without them what is in DATA_DIR`;

type Command = (args: readonly string[], options: Options, parts: AdminParts) => Promise<string[]>;

export interface Options {
  readonly name?: string | undefined;
  readonly outcome?: string | undefined;
  readonly org?: string | undefined;
  readonly expires?: string | undefined;
}

const commands: Readonly<Record<string, Command>> = {
  async 'org create'(words, _options, { organizations, clock }) {
    const organization = await organizations.create(required(words.join(' '), 'a name'), clock.now());
    return [`${organization.id}  ${organization.name}`];
  },

  async 'org list'(_args, _options, { organizations }) {
    return (await organizations.list()).map(({ id, name, createdAt }) => `${id}  ${createdAt}  ${name}`);
  },

  async 'org limit'([id, limit], _options, parts) {
    const organization = await existing(id, parts);
    const number = numberOrDefault(limit, 'a number of domains', Number.MAX_SAFE_INTEGER);
    await parts.organizations.setDomainLimit(organization.id, number);
    return [`${organization.id} may register ${number === null ? 'the default number of' : number} domains`];
  },

  async 'org threshold'([id, threshold], _options, parts) {
    const organization = await existing(id, parts);
    const number = numberOrDefault(threshold, 'a score', 100);
    await parts.organizations.setScoreThreshold(organization.id, number);
    return [`${organization.id} is alerted below ${number === null ? 'the default score' : number}`];
  },

  async 'token create'([id], { name = 'unnamed', expires }, parts) {
    const organization = await existing(id, parts);
    const { clock, organizations, serviceLabel } = parts;
    const expiresAt = expires === undefined ? null : daysFrom(clock.now(), expires);
    return [
      await organizations.issueToken(organization.id, { name, label: serviceLabel, expiresAt }, clock.now()),
    ];
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
    if (token === undefined) throw new AdminError(`no token of ${organization.id} begins with ${hash}`);
    if (others.length > 0) throw new AdminError(`several tokens begin with ${hash}; give more of it`);
    await parts.organizations.revokeToken(token, parts.clock.now());
    return [`revoked ${token.hash.slice(0, HASH_SHOWN)}  ${token.name}`];
  },
};

/** How much of a hash lists show: enough to be unique. */
const HASH_SHOWN = 12;

/** The options of all commands, for whoever has to look for `--table` before a table can be opened. */
export function parseAdminArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...{ name: { type: 'string' }, expires: { type: 'string' } },
        ...{ outcome: { type: 'string' }, org: { type: 'string' } },
        ...{ table: { type: 'string' }, bucket: { type: 'string' } },
      },
    });
  } catch (error) {
    throw new AdminError(`${(error as Error).message}\n\n${usage}`);
  }
}

/** @throws AdminError when the command is unknown, incomplete or names what is not there. */
export async function runAdmin(args: readonly string[], parts: AdminParts): Promise<string[]> {
  const { positionals, values } = parseAdminArguments(args);
  for (const words of [1, 2]) {
    const name = positionals.slice(0, words).join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command !== undefined) return command(positionals.slice(words), values, parts);
  }
  throw new AdminError(usage);
}

function required(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new AdminError(`${what} is missing\n\n${usage}`);
  return value;
}

/** A whole number up to `maximum`, or null for "default". */
function numberOrDefault(text: string | undefined, what: string, maximum: number): number | null {
  if (text === 'default') return null;
  const number = Number(required(text, `${what} or "default"`));
  if (Number.isSafeInteger(number) && number >= 0 && number <= maximum) return number;
  throw new AdminError(`not ${what}: ${text}`);
}

async function existing(id: string | undefined, { organizations }: AdminParts) {
  const organization = await organizations.get(required(id, 'an organization'));
  if (organization === undefined) throw new AdminError(`no such organization: ${id}`);
  return organization;
}

function daysFrom(now: Date, days: string): Date {
  if (!/^\d{1,5}$/.test(days) || Number(days) === 0) throw new AdminError(`not a number of days: ${days}`);
  return new Date(now.getTime() + Number(days) * 86_400_000);
}

function describeToken({ hash, name, createdAt, expiresAt, revokedAt }: TokenInfo): string {
  const end = revokedAt === null ? `expires ${expiresAt ?? 'never'}` : `revoked ${revokedAt}`;
  return `${hash.slice(0, HASH_SHOWN)}  created ${createdAt}  ${end}  ${name}`;
}
