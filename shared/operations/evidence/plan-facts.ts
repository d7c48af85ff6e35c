/** What a plan depended on at the time of a check run, beside its answers. */
import { nextPolicyOf } from '../../enforcement/next-policy.ts';
import type { PlanFacts } from '../../evidence/document.ts';
import type { StoredEvidence } from '../../store/check-runs/evidence.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { publishedReportAddress } from '../../store/domains/report-address.ts';
import type { PlanDependencies } from '../fixes/plan-dependencies.ts';
import { reportedMail, reportedSenders } from '../fixes/reported-mail.ts';

/**
 * Reports are those of the days before the check run; decisions about senders are those of today, because former ones are not kept.
 * For the same reason, nothing is known of a policy that the domain was ready for before its latest evidence.
 */
export async function planFactsOf(
  domain: Domain,
  { at, usageType, content }: StoredEvidence,
  { reportsDomain, checks, ...deps }: PlanDependencies,
  now: Date,
): Promise<PlanFacts> {
  const then = new Date(at);
  const asThen = { ...domain, usageType };
  const latest = await checks.latest(domain.id);
  const [mail, senders, nextPolicy] = await Promise.all([
    reportedMail(asThen, deps, then),
    reportedSenders(domain, deps, then),
    latest?.evidence?.at === at ? nextPolicyOf(asThen, content.results, deps, now) : null,
  ]);
  const mailbox =
    content.recording?.question.reportMailbox ?? publishedReportAddress(domain, reportsDomain) ?? null;
  return { mailbox, mail, senders, nextPolicy };
}
