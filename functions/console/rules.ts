/** The list of domains that two handlers show. */
import type * as z from 'zod/mini';
import type { domainListQuery } from '../../shared/api/console.ts';
import { type DomainRow, type DomainsView, domainsPage } from '../../shared/pages/console/domains.ts';
import { MAX_CONSOLE_PAGE } from '../../shared/pages/console/layout.ts';
import { fitting } from '../../shared/pages/spf/extent.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { covers, type TokenInfo } from '../../shared/store/api-tokens.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import type { Domain } from '../../shared/store/domains/domain.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';

/** What a row shows is read for each of them: at most about five read units. */
const DOMAINS_PER_PAGE = 25;
/** The points of a sparkline, of which each is a change of the score. */
const SCORES = 12;
const MAX_UNREAD = 9;
const WINDOW_DAYS = 30;
/** The first items of the attention list. */
const ATTENTION = { page: 1, limit: 5 };

export function listDependencies() {
  const kept = { retentionDays: config().RETENTION_DAYS };
  return {
    directory: directoryStore(table()),
    attention: attentionStore(table()),
    history: historyStore(table(), kept),
    alerts: alertStore(table(), kept),
    reports: dmarcReportStore(table(), kept),
    clock,
  };
}

export type ListDependencies = ReturnType<typeof listDependencies>;

/** The domains of the organization that match a filter, in the order of the query. */
export async function showDomains(
  { organization, token, formToken, query: { page, ...selection } }: DomainsRequest,
  { directory, attention, ...deps }: ListDependencies,
  refused?: DomainsView['refused'],
): Promise<string> {
  const now = deps.clock.now();
  const range = { page, limit: DOMAINS_PER_PAGE };
  const [{ domains, hasMore }, open] = await Promise.all([
    directory.search(organization, selection, range, now),
    attention.list(organization, { putOff: false }, ATTENTION, now),
  ]);
  const rows = await Promise.all(domains.map((domain) => rowOf(domain, deps, now)));
  const canWrite = covers(token.scope, 'write');
  const view = {
    ...{ rows, hasMore, page, selection, canWrite, formToken, refused },
    attention: { ...open, now },
  };
  return fitting((most) => domainsPage(view, most), MAX_CONSOLE_PAGE);
}

export interface DomainsRequest {
  readonly organization: string;
  readonly token: TokenInfo;
  readonly formToken: string;
  readonly query: z.output<typeof domainListQuery>;
}

async function rowOf(
  domain: Domain,
  { history, alerts, reports }: Pick<ListDependencies, 'history' | 'alerts' | 'reports'>,
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
