import { domainPath } from '../../api/common.ts';
import { nextPolicyOf } from '../../enforcement/next-policy.ts';
import type { ReportedSender } from '../../fixes/facts.ts';
import { emptyPlan, makePlan, type Plan } from '../../fixes/plan.ts';
import type { Clock } from '../../network/ports.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { publishedReportAddress } from '../../store/domains/report-address.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import { planAt } from '../evidence/plan-at.ts';
import { standingAt } from '../evidence/standing.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import type { PastPlanDependencies, PlanDependencies } from './plan-dependencies.ts';
import { reportedMail, reportedSenders } from './reported-mail.ts';

export const operation = {
  name: 'getFixes',
  summary: 'Get the changes of DNS records that improve a domain, from its latest check results',
  description: 'Only safe changes count for `scoreAfter`, and only they are in files (`format`).',
  scope: 'read',
  on: domainPath,
  refusals: ['not_found'],
  uses: ['organizations:read', 'domain-data:read'],
} as const satisfies Operation;

export type { PastPlanDependencies, PlanDependencies } from './plan-dependencies.ts';

/** @param at The time of which the changes are asked (ISO 8601, or a day); by default, those of today. */
export const planFixes = (
  caller: CallerOf<typeof operation>,
  { id, at }: InputOf<typeof operation> & { readonly at?: string | undefined },
  {
    domains,
    evidence,
    clock,
    ...deps
  }: PastPlanDependencies & DomainDependencies & { readonly clock: Clock },
): Promise<OutcomeOf<typeof operation, Plan>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const now = clock.now();
    if (at === undefined) return { value: await planOf(domain, deps, now) };
    const stored = await standingAt(id, at, evidence, now);
    if (stored instanceof Refused) return stored;
    return { value: await planAt(domain, stored, { ...deps, evidence }, now) };
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
  return makePlan({
    domain: domain.domain,
    usageType: domain.usageType,
    mailbox: publishedReportAddress(domain, reportsDomain),
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
