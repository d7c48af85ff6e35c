/** How a domain stood at a time, from the evidence of a check run. */
import type { CheckResults } from '../../checks/results.ts';
import type { Plan } from '../../fixes/plan.ts';
import { planAt } from '../../operations/evidence/plan-at.ts';
import { standingAt } from '../../operations/evidence/standing.ts';
import type { PastPlanDependencies } from '../../operations/fixes/plan-fixes.ts';
import { Refused } from '../../operations/outcome.ts';
import type { FindingAudience } from '../../protocol/findings/finding.ts';
import { computeScore } from '../../score/score.ts';
import type { Score } from '../../score/shapes.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { findingAudienceOf } from '../../store/domains/report-address.ts';

export interface StandingView {
  readonly owner: FindingAudience;
  /** The time that was asked about (ISO 8601). */
  readonly at: string;
  /** Undefined if nothing is kept of that time. */
  readonly checked:
    | {
        readonly checkedAt: string;
        readonly results: CheckResults;
        readonly score: Score;
        readonly plan: Plan;
      }
    | undefined;
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
  const { results } = stored.content;
  return {
    ...{ owner, at },
    checked: {
      ...{ checkedAt: stored.at, results, score: computeScore(results, stored.usageType) },
      plan: await planAt(domain, stored, deps, now),
    },
  };
}
