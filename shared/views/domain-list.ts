/** The list of domains of an organization. */

import type { Clock } from '../network/ports.ts';
import { daysBefore } from '../reports/day.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { HistoryStore } from '../store/check-runs/history.ts';
import type { DirectoryStore } from '../store/domains/directory.ts';
import type { Domain } from '../store/domains/domain.ts';
import type { DomainFilter } from '../store/domains/select-rows.ts';
import type { DmarcReportStore } from '../store/reports/dmarc-reports.ts';

export interface DomainList {
  readonly rows: readonly DomainRow[];
  readonly selection: DomainFilter;
  readonly page: number;
  readonly hasMore: boolean;
}

/** A domain and what the list shows about it. */
export interface DomainRow {
  readonly domain: Domain;
  /** The latest changes of the score, oldest first. */
  readonly scores: readonly number[];
  /** Unread alerts: how many, or that there are more than that. */
  readonly unread: { readonly count: number; readonly hasMore: boolean };
  /** Of the DMARC reports of the last 30 days. */
  readonly messages: number;
  readonly passed: number;
}

/** What a row shows is read for each of them: at most about five read units. */
const DOMAINS_PER_PAGE = 25;
/** The points of a sparkline, of which each is a change of the score. */
const SCORES = 12;
const MAX_UNREAD = 9;
const WINDOW_DAYS = 30;

interface RowDependencies {
  readonly history: Pick<HistoryStore, 'scores'>;
  readonly alerts: Pick<AlertStore, 'list'>;
  readonly reports: Pick<DmarcReportStore, 'timeline'>;
}

export interface ListDependencies extends RowDependencies {
  readonly directory: Pick<DirectoryStore, 'search'>;
  readonly clock: Clock;
}

/** The domains of the organization that match a filter, in the order of the query. */
export async function domainList(
  organization: string,
  { page, ...selection }: DomainFilter & { readonly page: number },
  { directory, ...deps }: ListDependencies,
): Promise<DomainList> {
  const now = deps.clock.now();
  const range = { page, limit: DOMAINS_PER_PAGE };
  const { domains, hasMore } = await directory.search(organization, selection, range);
  const rows = await Promise.all(domains.map((domain) => rowOf(domain, deps, now)));
  return { rows, hasMore, page, selection };
}

async function rowOf(
  domain: Domain,
  { history, alerts, reports }: RowDependencies,
  now: Date,
): Promise<DomainRow> {
  const { id, organization } = domain;
  const today = now.toISOString().slice(0, 10);
  const unreadOfDomain = { domainId: id, unreadOnly: true };
  const [scores, unread, days] = await Promise.all([
    history.scores(id, { page: 1, limit: SCORES }, now),
    alerts.list(organization, unreadOfDomain, { page: 1, limit: MAX_UNREAD }, now),
    reports.timeline(id, { from: daysBefore(today, WINDOW_DAYS - 1), to: today }, now),
  ]);
  return {
    domain,
    scores: scores.entries.toReversed().flatMap(({ score }) => (score === null ? [] : [score])),
    unread: { count: unread.alerts.length, hasMore: unread.hasMore },
    messages: days.reduce((sum, { messages }) => sum + messages, 0),
    passed: days.reduce((sum, { passed }) => sum + passed, 0),
  };
}
