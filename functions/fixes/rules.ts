/** The plan of a domain, for the API and for pages. */

import { nextPolicyOf } from '../../shared/enforcement/next-policy.ts';
import { sendsMail } from '../../shared/fixes/facts.ts';
import { emptyPlan, type Plan, planFixes } from '../../shared/fixes/plan.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { type CheckStore, checkStore } from '../../shared/store/check-runs/checks.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { type DecisionStore, decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { type NextPolicyStore, nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { type DmarcReportStore, dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';

/** Seasonal mail is sent once a year. */
const REPORT_DAYS = 366;

export interface PlanDependencies {
  readonly checks: CheckStore;
  readonly reports: Pick<DmarcReportStore, 'timeline'>;
  readonly nextPolicies: Pick<NextPolicyStore, 'get'>;
  readonly decisions: Pick<DecisionStore, 'list' | 'attestations'>;
  readonly reportsDomain: string;
}

export const planDependencies = (): PlanDependencies => ({
  checks: checkStore(table()),
  nextPolicies: nextPolicyStore(table()),
  decisions: decisionStore(table()),
  reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
  reportsDomain: config().REPORTS_DOMAIN,
});

/** The changes that improve `domain`, from its latest check results; empty before the first check run. */
export async function planOf(
  domain: Domain,
  { checks, reports, reportsDomain, ...enforcement }: PlanDependencies,
  now: Date,
): Promise<Plan> {
  const [latest, authenticatedMail] = await Promise.all([
    checks.latestWithLookups(domain.id),
    hasAuthenticatedMail(domain, reports, now),
  ]);
  if (latest === undefined) return emptyPlan;
  return planFixes({
    domain: domain.domain,
    usageType: domain.usageType,
    mailbox: reportAddress(domain, reportsDomain),
    authenticatedMail,
    nextPolicy: await nextPolicyOf(domain, latest.results, enforcement, now),
    results: latest.results,
    lookups: latest.lookups ?? [],
  });
}

/**
 * Whether reports of the last year show mail of the domain that passed DMARC. Only what is proposed for domains that send
 * no mail depends on it, so the answer for others is false without a look.
 */
export async function hasAuthenticatedMail(
  domain: Pick<Domain, 'id' | 'usageType'>,
  reports: PlanDependencies['reports'],
  now: Date,
): Promise<boolean> {
  if (sendsMail(domain)) return false;
  const days = await reports.timeline(domain.id, lastDays(now), now);
  return days.some(({ passed }) => passed > 0);
}

function lastDays(now: Date) {
  const to = now.toISOString().slice(0, 10);
  return { from: daysBefore(to, REPORT_DAYS), to };
}
