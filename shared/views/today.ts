/** What a person sees first: what needs a person, and how the organization is. Costs the same with many domains. */
import type { AttentionKind } from '../alerts/attention-kind.ts';
import { type AttentionGroup, attentionGroups, todayRows } from '../attention/today.ts';
import type { Clock } from '../network/ports.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { AttentionStore } from '../store/attention.ts';
import type { AttentionItem } from '../store/attention-items.ts';
import type { DirectoryStore } from '../store/domains/directory.ts';
import type { DirectoryRow } from '../store/domains/directory-rows.ts';
import type { DomainStore } from '../store/domains/domains.ts';
import { figuresOf, movesOf, type OrganizationFigures, type ScoreMoves } from './organization-figures.ts';

/** The items of one kind, of which there are more than a page about all kinds shows. */
export interface KindPage {
  readonly kind: AttentionKind;
  readonly items: readonly AttentionItem[];
  readonly page: number;
  readonly hasMore: boolean;
}

export interface TodayGroup {
  readonly group: AttentionGroup;
  readonly items: readonly AttentionItem[];
  /** The kinds of which there are more. */
  readonly more: readonly AttentionKind[];
}

export interface TodayView {
  readonly figures: OrganizationFigures;
  /** Those with items, the most urgent first. */
  readonly groups: readonly TodayGroup[];
  /** Domains whose ownership was never proven: the first ones, and how many there are. */
  readonly unverified: { readonly count: number; readonly first: readonly DirectoryRow[] };
  readonly moves: ScoreMoves;
  readonly unread: UnreadAlerts;
  /** The domain that was checked last, if nothing needs a person; null if none was checked. */
  readonly lastCheck: { readonly domain: string; readonly at: string } | null;
  /** The items of one kind, instead of the first ones of all. */
  readonly only: KindPage | undefined;
  readonly now: Date;
}

/** Unread alerts: how many, or that there are more than that. */
export interface UnreadAlerts {
  readonly count: number;
  readonly hasMore: boolean;
}

export interface TodayQuery {
  readonly kind?: AttentionKind | undefined;
  readonly page: number;
}

export interface TodayDependencies {
  readonly attention: Pick<AttentionStore, 'firstOfEach' | 'list'>;
  readonly directory: Pick<DirectoryStore, 'rows'>;
  readonly domains: Pick<DomainStore, 'list'>;
  readonly alerts: Pick<AlertStore, 'list'>;
  readonly clock: Clock;
}

/** Of each kind and severity. */
const MOST_OF_KIND = 6;
const ITEMS_PER_PAGE = 50;
const MOST_MOVES = 6;
const MOST_NAMED = 3;
/** The menu shows one digit, or `9+`. */
const MOST_UNREAD = 9;
/** The last check of a large organization is that of its first domains: all verified ones are checked in turn. */
const LOOKED_AT = 25;

export async function todayOf(
  organization: string,
  { kind, page }: TodayQuery,
  { attention, directory, domains, alerts, clock }: TodayDependencies,
): Promise<TodayView> {
  const now = clock.now();
  const [rows, heads, unread, only] = await Promise.all([
    directory.rows(organization),
    attention.firstOfEach(organization, MOST_OF_KIND, now),
    unreadAlerts(organization, alerts, now),
    kind === undefined
      ? undefined
      : attention.list(organization, { kind, putOff: false }, { page, limit: ITEMS_PER_PAGE }, now),
  ]);
  const groups = attentionGroups.map((group) => ({
    group,
    items: heads.items.filter((item) => todayRows[item.kind].group === group),
    more: [...heads.more].filter((one) => todayRows[one].group === group),
  }));
  const unverified = rows.filter(({ verified }) => !verified);
  const isQuiet = heads.items.length === 0 && unverified.length === 0;
  const looked = isQuiet ? (await domains.list(organization, 1, LOOKED_AT)).domains : [];
  const checked = looked.flatMap(({ domain, lastCheckedAt }) =>
    lastCheckedAt === null ? [] : [{ domain, at: lastCheckedAt }],
  );
  return {
    figures: figuresOf(rows, now),
    groups: groups.filter(({ items, more }) => items.length + more.length > 0),
    unverified: { count: unverified.length, first: unverified.slice(0, MOST_NAMED) },
    moves: movesOf(rows, MOST_MOVES, now),
    unread,
    lastCheck: checked.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0] ?? null,
    only: kind === undefined || only === undefined ? undefined : { kind, page, ...only },
    now,
  };
}

/** The unread alerts of an organization, for the menu. */
export async function unreadAlerts(
  organization: string,
  alerts: Pick<AlertStore, 'list'>,
  now: Date,
): Promise<UnreadAlerts> {
  const found = await alerts.list(organization, { unreadOnly: true }, { page: 1, limit: MOST_UNREAD }, now);
  return { count: found.alerts.length, hasMore: found.hasMore };
}
