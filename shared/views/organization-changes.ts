/** What changed about all domains of an organization, by day. */
import type { ShownChange } from '../alerts/shown-change.ts';
import type { CheckName } from '../checks/state.ts';
import type { Clock } from '../network/ports.ts';
import { DAY_MILLISECONDS } from '../protocol/time.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import {
  type OrganizationChange,
  type OrganizationChangesStore,
  positionOf,
} from '../store/check-runs/organization-changes.ts';
import { type UnreadAlerts, unreadAlerts } from './today.ts';

export interface ChangesQuery {
  /** Part of the name, in lower case. */
  readonly q?: string | undefined;
  readonly check?: CheckName | undefined;
  /** Only changes with this effect on the score. */
  readonly score?: 'fell' | 'rose' | undefined;
  readonly days: number;
  /** The position after which the page begins. */
  readonly before?: string | undefined;
}

export interface ChangesView {
  readonly query: ChangesQuery;
  /** Newest first, each with those changes that match. */
  readonly days: readonly { readonly day: string; readonly entries: readonly OrganizationChange[] }[];
  /** The position that the next page begins after; undefined on the last one. */
  readonly next: string | undefined;
  readonly unread: UnreadAlerts;
}

/** What a page reads at most, whatever the filter leaves out: about 100 read units. */
const MOST_READ = 200;

export interface ChangesDependencies {
  readonly changes: Pick<OrganizationChangesStore, 'list'>;
  readonly alerts: Pick<AlertStore, 'list'>;
  readonly clock: Clock;
}

export async function changesOf(
  organization: string,
  query: ChangesQuery,
  { changes, alerts, clock }: ChangesDependencies,
): Promise<ChangesView> {
  const now = clock.now();
  const since = new Date(now.getTime() - query.days * DAY_MILLISECONDS).toISOString();
  const [{ entries, hasMore }, unread] = await Promise.all([
    changes.list(organization, { since, before: query.before }, MOST_READ, now),
    unreadAlerts(organization, alerts, now),
  ]);
  const last = entries.at(-1);
  const matching = entries.flatMap((entry) => {
    const wanted = entry.changes.filter((change) => isWanted(change, query));
    return wanted.length > 0 && isWantedEntry(entry, query) ? [{ ...entry, changes: wanted }] : [];
  });
  const byDay = Map.groupBy(matching, ({ at }) => at.slice(0, 10));
  return {
    ...{ query, unread },
    days: [...byDay].map(([day, of]) => ({ day, entries: of })),
    next: hasMore && last !== undefined ? positionOf(last) : undefined,
  };
}

const isWanted = ({ check }: ShownChange, query: ChangesQuery): boolean =>
  query.check === undefined || check === query.check;

function isWantedEntry(
  { domain, scoreBefore, scoreAfter }: OrganizationChange,
  { q, score }: ChangesQuery,
): boolean {
  if (q !== undefined && !domain.includes(q)) return false;
  if (score === undefined) return true;
  if (scoreBefore === null || scoreAfter === null) return false;
  return score === 'fell' ? scoreAfter < scoreBefore : scoreAfter > scoreBefore;
}
