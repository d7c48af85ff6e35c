/** What a manager wants to know about a domain, on two printed pages. */
import type { Days } from '../../enforcement/dependencies.ts';
import { recentDays } from '../../operations/reports/days.ts';
import type { CheckStore } from '../../store/check-runs/checks.ts';
import type { HistoryStore, ScoreEntry } from '../../store/check-runs/history.ts';
import type { Domain } from '../../store/domains/domains.ts';
import type { DmarcDay, DmarcReportStore } from '../../store/reports/dmarc-reports.ts';
import { type Checked, checkedOf } from './checked.ts';

/** The entries of the history that the picture is drawn from. */
const NEWEST = { page: 1, limit: 100 };

export interface ReportView {
  /** ISO 8601: the current time. */
  readonly now: string;
  readonly verified: boolean;
  /** Undefined before the first check run. */
  readonly checked: Checked | undefined;
  /** Newest first. */
  readonly scores: readonly ScoreEntry[];
  readonly days: Days;
  /** Days with DMARC reports, oldest first. */
  readonly timeline: readonly DmarcDay[];
}

export interface ReportDependencies {
  readonly checks: Pick<CheckStore, 'latest'>;
  readonly history: Pick<HistoryStore, 'scores'>;
  readonly dmarcReports: Pick<DmarcReportStore, 'timeline'>;
}

export async function reportOf(
  { id, usageType, verified }: Domain,
  { checks, history, dmarcReports }: ReportDependencies,
  now: Date,
): Promise<ReportView> {
  const days = recentDays(now);
  const [latest, scores, timeline] = await Promise.all([
    checks.latest(id),
    history.scores(id, NEWEST, now),
    dmarcReports.timeline(id, days, now),
  ]);
  return {
    ...{ now: now.toISOString(), verified, days, timeline, scores: scores.entries },
    checked: latest && checkedOf(latest, usageType),
  };
}
