/** The plan of a domain, for the API and for pages. */
import { sendsMail } from '../../shared/fixes/facts.ts';
import { emptyPlan, type Plan, planFixes } from '../../shared/fixes/plan.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import type { CheckStore } from '../../shared/store/check-runs/checks.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import type { DmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';

/** Seasonal mail is sent once a year. */
const REPORT_DAYS = 366;

export interface PlanDependencies {
  readonly checks: CheckStore;
  readonly reports: Pick<DmarcReportStore, 'timeline'>;
  readonly reportsDomain: string;
}

/** The changes that improve `domain`, from its latest check results; empty before the first check run. */
export async function planOf(
  domain: Domain,
  { checks, reports, reportsDomain }: PlanDependencies,
  now: Date,
): Promise<Plan> {
  const [latest, days] = await Promise.all([
    checks.latestWithLookups(domain.id),
    // Only what is proposed for domains that send no mail depends on mail of theirs.
    sendsMail(domain) ? [] : reports.timeline(domain.id, lastDays(now), now),
  ]);
  if (latest === undefined) return emptyPlan;
  return planFixes({
    domain: domain.domain,
    usageType: domain.usageType,
    mailbox: reportAddress(domain, reportsDomain),
    authenticatedMail: days.some(({ passed }) => passed > 0),
    results: latest.results,
    lookups: latest.lookups ?? [],
  });
}

function lastDays(now: Date) {
  const to = now.toISOString().slice(0, 10);
  return { from: daysBefore(to, REPORT_DAYS), to };
}
