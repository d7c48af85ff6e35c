/** The TLS reports of a domain, and the causes of failures. */

import type { DomainViewQuery } from '../../api/console-domain.ts';
import { windowOf } from '../../api/report-queries.ts';
import type { Days } from '../../enforcement/dependencies.ts';
import { type TlsFailure, tlsFailures } from '../../monitoring/tls-failures.ts';
import { Refused } from '../../operations/outcome.ts';
import { daysOf } from '../../operations/reports/days.ts';
import { dayAt } from '../../protocol/time.ts';
import type { CheckStore } from '../../store/check-runs/checks.ts';
import type { HistoryStore } from '../../store/check-runs/history.ts';
import type { Domain } from '../../store/domains/domains.ts';
import type { TlsDay, TlsReportStore } from '../../store/reports/tls-reports.ts';

/** The entries of the history that the cause of a failure is derived from. */
const MAX_HISTORY = 100;
/** The newest TLS reports of a window, and how many of those with failures are read. */
const MAX_TLS_REPORTS = 200;
const MAX_FAILING_REPORTS = 50;

export interface TlsView {
  readonly days: Days;
  /** The current day, UTC. */
  readonly today: string;
  /** Days with reports, oldest first. */
  readonly timeline: readonly TlsDay[];
  /** Most sessions first. */
  readonly failures: readonly TlsFailure[];
  /** Whether the failures are only those of the newest reports. */
  readonly isPartial: boolean;
}

export interface TlsViewDependencies {
  readonly tlsReports: Pick<TlsReportStore, 'timeline' | 'list' | 'policiesOf'>;
  readonly history: Pick<HistoryStore, 'checks'>;
  readonly checks: Pick<CheckStore, 'latest'>;
}

export async function tlsOf(
  { id }: Pick<Domain, 'id'>,
  query: DomainViewQuery,
  { tlsReports: reports, history, checks }: TlsViewDependencies,
  now: Date,
): Promise<TlsView | Refused> {
  const days = daysOf(query, now);
  if (days instanceof Refused) return days;
  const window = windowOf({ startDate: `${days.from}T00:00:00.000Z`, endDate: `${days.to}T23:59:59.999Z` });
  const [timeline, listed, entries, latest] = await Promise.all([
    reports.timeline(id, days, now),
    reports.list(id, { window, page: 1, limit: MAX_TLS_REPORTS }, now),
    history.checks(id, { page: 1, limit: MAX_HISTORY }, now),
    checks.latest(id),
  ]);
  const failing = listed.reports.filter(({ report }) => report.totalFailureCount > 0);
  const read = await Promise.all(
    failing.slice(0, MAX_FAILING_REPORTS).map(async (one) => ({
      report: one.report,
      policies: await reports.policiesOf(id, one),
    })),
  );
  const known = latest && { results: latest.results, entries: entries.entries };
  return {
    ...{ days, today: dayAt(now), timeline },
    failures: tlsFailures(read, known),
    isPartial: listed.hasMore || failing.length > MAX_FAILING_REPORTS,
  };
}
