/** The plan of a domain, for the API and for pages. */

import { nextPolicyOf } from '../../shared/enforcement/next-policy.ts';
import { isOtherCustomers } from '../../shared/enforcement/sender-fields.ts';
import { sendersOf } from '../../shared/enforcement/senders.ts';
import { type ReportedSender, sendsMail } from '../../shared/fixes/facts.ts';
import { emptyPlan, type Plan, planFixes } from '../../shared/fixes/plan.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import type { DaySummary } from '../../shared/reports/dmarc/summary/shapes.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { type CheckStore, checkStore } from '../../shared/store/check-runs/checks.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { type DecisionStore, decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { type NextPolicyStore, nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { type DmarcReportStore, dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { type SummaryStore, summaryStore } from '../../shared/store/reports/summaries.ts';

/** Seasonal mail is sent once a year. */
const REPORT_DAYS = 366;
/** The senders that recommendations name. */
const SENDER_DAYS = 30;

export interface PlanDependencies {
  readonly checks: CheckStore;
  readonly reports: Pick<DmarcReportStore, 'timeline'>;
  readonly summaries: Pick<SummaryStore, 'eachDay'>;
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
  { checks, reports, summaries, reportsDomain, ...enforcement }: PlanDependencies,
  now: Date,
): Promise<Plan> {
  const [latest, authenticatedMail] = await Promise.all([
    checks.latestWithLookups(domain.id),
    hasAuthenticatedMail(domain, reports, now),
  ]);
  if (latest === undefined) return emptyPlan;
  let senders: Promise<readonly ReportedSender[]> | undefined;
  return planFixes({
    domain: domain.domain,
    usageType: domain.usageType,
    mailbox: reportAddress(domain, reportsDomain),
    authenticatedMail,
    nextPolicy: await nextPolicyOf(domain, latest.results, enforcement, now),
    senders: () => {
      senders ??= reportedSenders(domain, summaries, enforcement.decisions, now);
      return senders;
    },
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
  const days = await reports.timeline(domain.id, lastDays(now, REPORT_DAYS), now);
  return days.some(({ passed }) => passed > 0);
}

/**
 * Senders that may have to be listed in SPF: those that the owner approved, and those without a decision. Anyone can send a
 * forged report, so only authenticated ones count.
 */
async function reportedSenders(
  { id, domain }: Domain,
  summaries: PlanDependencies['summaries'],
  decisions: PlanDependencies['decisions'],
  now: Date,
): Promise<readonly ReportedSender[]> {
  const days = authenticated(summaries.eachDay(id, lastDays(now, SENDER_DAYS), now));
  const found = await sendersOf(domain, days, await decisions.list(id));
  return found.flatMap(({ id: sender, name, kind, status, spfAligned }) =>
    (status === 'approved' || status === null) && !isOtherCustomers(sender)
      ? [{ name, kind, status, spfAligned }]
      : [],
  );
}

async function* authenticated(days: AsyncIterable<DaySummary>): AsyncGenerator<DaySummary> {
  for await (const { day, summaries } of days) {
    yield { day, summaries: summaries.filter((report) => report.authenticated === true) };
  }
}

function lastDays(now: Date, days: number) {
  const to = now.toISOString().slice(0, 10);
  return { from: daysBefore(to, days), to };
}
