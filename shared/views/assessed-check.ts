/** A check of any domain with its score and recommended changes. */
import { type DomainCheckResult, domainCheckPath } from '../api/domain-checker.ts';
import { showChecks } from '../api/show-checks.ts';
import { noReportedMail } from '../fixes/facts.ts';
import { makePlan, type Plan } from '../fixes/plan.ts';
import type { OwnedCheck } from '../operations/domain-checker/check-any-domain.ts';
import type { VerifiedOwner } from '../operations/domain-checker/owner.ts';
import { computeScore } from '../score/score.ts';
import type { Score } from '../score/shapes.ts';
import type { SharedCheck } from '../store/domain-checks.ts';

export interface AssessedCheck {
  readonly check: Omit<SharedCheck, 'lookups'>;
  readonly score: Score;
  readonly plan: Plan;
}

export async function assess({ check, owner }: OwnedCheck): Promise<AssessedCheck> {
  const { domain, usageType, results, lookups } = check;
  const { mailbox, mail = noReportedMail } = owner ?? {};
  const plan = await makePlan({ domain, usageType, mailbox, mail, results, lookups });
  return { check, score: computeScore(results, usageType), plan };
}

interface ShownTo {
  readonly owner: VerifiedOwner | null;
  /** The id of the saved result; null if it is not saved. */
  readonly shareId: string | null;
  readonly hostUrl: string;
}

/** The same in the format of the API. */
export function showCheck(
  { check: { domain, usageType, checkedAt, results }, score, plan }: AssessedCheck,
  { owner, shareId, hostUrl }: ShownTo,
): DomainCheckResult {
  return {
    ...{ domain, usageType, checkedAt },
    results: showChecks(results, { domain, mailbox: owner?.mailbox }),
    score: { ...score, lastCheckedAt: checkedAt },
    fixes: plan,
    shareId,
    shareUrl: shareId === null ? null : `${hostUrl}${domainCheckPath(shareId)}`,
  };
}
