/** What operators see of organizations: numbers, and never what the organizations have. */
import type { AlertSeverity } from '../alerts/alert.ts';
import type { Clock } from '../network/ports.ts';
import { endOf, isMember } from '../store/api-tokens.ts';
import type { AttentionStore } from '../store/attention.ts';
import type { DirectoryStore } from '../store/domains/directory.ts';
import type { FetchedMailboxStore } from '../store/fetched-mailboxes.ts';
import type { OrganizationStore } from '../store/organizations.ts';
import { figuresOf } from './organization-figures.ts';

export interface OperatedOrganization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly pausedAt: string | null;
  /** `limit`: null is the default of the service. */
  readonly domains: { readonly count: number; readonly limit: number | null };
  /** In DMARC reports of the last 30 days; `lastReported` is the last day with messages. */
  readonly mail: { readonly messages: number; readonly lastReported: string | null };
  /** Open attention items; of each severity, as far as they are counted. */
  readonly open: Readonly<Record<AlertSeverity, number>>;
  /** What else costs: mailboxes that are read, and who can use the service. */
  readonly mailboxes: number;
  readonly members: number;
  readonly tokens: number;
}

export interface OperatedDependencies {
  readonly organizations: Pick<OrganizationStore, 'get' | 'list' | 'listTokens'>;
  readonly directory: Pick<DirectoryStore, 'rows'>;
  readonly attention: Pick<AttentionStore, 'count'>;
  readonly mailboxes: Pick<FetchedMailboxStore, 'list'>;
  readonly clock: Clock;
}

/** A page of all organizations, oldest first. */
export async function operatedOrganizations(
  { page, limit }: { readonly page: number; readonly limit: number },
  deps: OperatedDependencies,
): Promise<{ readonly organizations: readonly OperatedOrganization[]; readonly hasMore: boolean }> {
  const all = await deps.organizations.list();
  const some = all.slice((page - 1) * limit, page * limit);
  const found = await Promise.all(some.map(({ id }) => operated(id, deps)));
  return { organizations: found.flatMap((one) => one ?? []), hasMore: all.length > page * limit };
}

/** Undefined if there is no such organization. */
export async function operated(
  id: string,
  { organizations, directory, attention, mailboxes, clock }: OperatedDependencies,
): Promise<OperatedOrganization | undefined> {
  const now = clock.now();
  const known = await organizations.get(id);
  if (known === undefined) return undefined;
  const [rows, counts, fetched, tokens] = await Promise.all([
    directory.rows(id),
    attention.count(id, now),
    mailboxes.list(id),
    organizations.listTokens(id),
  ]);
  const { mail } = figuresOf(rows, now);
  const valid = tokens.filter((one) => endOf(one, now) === undefined);
  const { name, createdAt, pausedAt, domainCount, domainLimit } = known;
  return {
    ...{ id, name, createdAt, pausedAt },
    domains: { count: domainCount, limit: domainLimit },
    mail: { messages: mail.messages, lastReported: mail.last },
    open: { critical: counts.critical.count, warning: counts.warning.count, info: counts.info.count },
    mailboxes: fetched.length,
    members: valid.filter(isMember).length,
    tokens: valid.filter((one) => !isMember(one)).length,
  };
}
