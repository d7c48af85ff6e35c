/** The list of domains of an organization. */
import type { Clock } from '../network/ports.ts';
import { Refused } from '../operations/outcome.ts';
import { formatNumber } from '../protocol/quantity.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { DirectoryStore } from '../store/domains/directory.ts';
import type { DirectoryRow, SummedMail } from '../store/domains/directory-rows.ts';
import type { Domain } from '../store/domains/domain.ts';
import { changeOf, comparedFrom } from '../store/domains/listed.ts';
import { type DomainFilter, mailOfRow, scoreOfRow } from '../store/domains/select-rows.ts';
import { summedWindow } from '../store/reports/domain-sums.ts';
import { figuresOf, type OrganizationFigures } from './organization-figures.ts';
import type { UnreadAlerts } from './today.ts';

export interface DomainList {
  /** Of all domains, whatever the filter. */
  readonly figures: OrganizationFigures;
  readonly rows: readonly DomainRow[];
  readonly selection: DomainFilter;
  /** How many domains match the filter. */
  readonly matching: number;
  readonly page: number;
  /** The tags that most domains have. */
  readonly tags: readonly string[];
  /** Those that the rows count; if there are more, older ones are not counted. */
  readonly unread: UnreadAlerts;
}

/** A domain and what the list shows about it. */
export interface DomainRow {
  readonly domain: Domain;
  readonly score: number | null;
  /** By how much the score rose in the last seven days; null if it is not known. */
  readonly change: number | null;
  /** The scores before the latest changes, oldest first, and the present one. */
  readonly scores: readonly number[];
  readonly policy: DirectoryRow['policy'];
  /** Of the DMARC reports of the last 30 days. */
  readonly mail: SummedMail | null;
  readonly unread: number;
}

export const DOMAINS_PER_PAGE = 100;
/** The newest unread alerts of all domains, which the rows count: about 30 read units. */
const MOST_UNREAD = 200;
/** A field suggests them. */
const MOST_TAGS = 100;

export interface ListDependencies {
  readonly directory: Pick<DirectoryStore, 'list'>;
  readonly alerts: Pick<AlertStore, 'list'>;
  readonly clock: Clock;
}

/** The domains of the organization that match a filter, in the order of the query. */
export async function domainList(
  organization: string,
  { page, ...selection }: DomainFilter & { readonly page: number },
  { directory, alerts, clock }: ListDependencies,
): Promise<DomainList> {
  const now = clock.now();
  const range = { page, limit: DOMAINS_PER_PAGE };
  const [{ listed, matching, all }, newest] = await Promise.all([
    directory.list(organization, selection, range, now),
    alerts.list(organization, { unreadOnly: true }, { page: 1, limit: MOST_UNREAD }, now),
  ]);
  const unread = Map.groupBy(newest.alerts, ({ domainId }) => domainId);
  const [window, compared] = [summedWindow(now), comparedFrom(now)];
  const rows = listed.map(({ domain, row }): DomainRow => {
    const score = scoreOfRow(row);
    const before = (domain.scoreChanges ?? []).map((one) => one.before);
    return {
      ...{ domain, score, policy: row.policy },
      change: changeOf(row.week, score, compared),
      scores: [...before, score].filter((one) => one !== null),
      mail: mailOfRow(row, window),
      unread: unread.get(domain.id)?.length ?? 0,
    };
  });
  return {
    ...{ figures: figuresOf(all, now), rows, selection, matching, page, tags: tagsOf(all) },
    unread: { count: newest.alerts.length, hasMore: newest.hasMore },
  };
}

/** Each domain costs about a tenth of a read unit, and their items have to fit into memory. */
const MOST_IN_FILE = 10_000;

/** The domains that match a filter, for a file; refused if there are more. */
export async function domainsInFile(
  organization: string,
  filter: DomainFilter,
  { directory }: { readonly directory: Pick<DirectoryStore, 'search'> },
): Promise<readonly Domain[] | Refused<'payload_too_large'>> {
  const { domains, hasMore } = await directory.search(organization, filter, { page: 1, limit: MOST_IN_FILE });
  if (!hasMore) return domains;
  const says = `A file holds at most ${formatNumber(MOST_IN_FILE)} domains. Use a filter.`;
  return new Refused('payload_too_large', says);
}

function tagsOf(rows: readonly DirectoryRow[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { tags } of rows) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MOST_TAGS)
    .map(([tag]) => tag);
}
