/** How a domain stood at a time, from the evidence of a check run. */
import type { Plan } from '../../fixes/plan.ts';
import { planAt } from '../../operations/evidence/plan-at.ts';
import { standingAt } from '../../operations/evidence/standing.ts';
import type { PastPlanDependencies } from '../../operations/fixes/plan-fixes.ts';
import { Refused } from '../../operations/outcome.ts';
import type { FindingAudience } from '../../protocol/findings/finding.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { findingAudienceOf } from '../../store/domains/report-address.ts';
import { type Checked, checkedOf } from './checked.ts';

export interface StandingView {
  readonly owner: FindingAudience;
  /** The time that was asked about (ISO 8601). */
  readonly at: string;
  /** Undefined if nothing is kept of that time. */
  readonly checked: (Checked & { readonly plan: Plan }) | undefined;
}

export async function standingOf(
  domain: Domain,
  at: string,
  deps: PastPlanDependencies,
  now: Date,
): Promise<StandingView> {
  const owner = findingAudienceOf(domain, deps.reportsDomain);
  const stored = await standingAt(domain.id, at, deps.evidence, now);
  if (stored instanceof Refused) return { owner, at, checked: undefined };
  return {
    ...{ owner, at },
    checked: {
      ...checkedOf({ checkedAt: stored.at, results: stored.content.results }, stored.usageType),
      plan: await planAt(domain, stored, deps, now),
    },
  };
}
