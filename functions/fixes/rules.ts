/** The plan of a domain, for the API and for pages. */

import { nextPolicyOf } from '../../shared/enforcement/next-policy.ts';
import type { ReportedSender } from '../../shared/fixes/facts.ts';
import { emptyPlan, type Plan, planFixes } from '../../shared/fixes/plan.ts';
import {
  type ReportStores,
  reportedMail,
  reportedSenders,
} from '../../shared/operations/fixes/reported-mail.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { type CheckStore, checkStore } from '../../shared/store/check-runs/checks.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { type DecisionStore, decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { type NextPolicyStore, nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';

export interface PlanDependencies extends ReportStores {
  readonly checks: CheckStore;
  readonly nextPolicies: Pick<NextPolicyStore, 'get'>;
  readonly decisions: Pick<DecisionStore, 'list' | 'attestations'>;
  readonly reportsDomain: string;
}

export const planDependencies = (): PlanDependencies => ({
  checks: checkStore(table()),
  nextPolicies: nextPolicyStore(table()),
  decisions: decisionStore(table()),
  reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
  summaries: summaryStore(table()),
  reportsDomain: config().REPORTS_DOMAIN,
});

/** The changes that improve `domain`, from its latest check results; empty before the first check run. */
export async function planOf(
  domain: Domain,
  { checks, reportsDomain, ...deps }: PlanDependencies,
  now: Date,
): Promise<Plan> {
  const [latest, mail] = await Promise.all([
    checks.latestWithLookups(domain.id),
    reportedMail(domain, deps, now),
  ]);
  if (latest === undefined) return emptyPlan;
  let senders: Promise<readonly ReportedSender[]> | undefined;
  return planFixes({
    domain: domain.domain,
    usageType: domain.usageType,
    mailbox: reportAddress(domain, reportsDomain),
    mail,
    nextPolicy: await nextPolicyOf(domain, latest.results, deps, now),
    senders: () => {
      senders ??= reportedSenders(domain, deps, now);
      return senders;
    },
    results: latest.results,
    lookups: latest.lookups ?? [],
  });
}
