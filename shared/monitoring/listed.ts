/** What lists of domains show of a check run. */
import type { CheckResults } from '../checks/results.ts';
import type { UsageType } from '../checks/state.ts';
import { listedStatuses } from '../compliance/listed.ts';
import type { OwnProfile } from '../compliance/own-profile.ts';
import { nextFix } from '../fixes/next-fix.ts';
import { type Listed, policyOf } from '../store/domains/listed.ts';

export function listedOf(results: CheckResults, usageType: UsageType, own: readonly OwnProfile[]): Listed {
  return {
    policy: policyOf(results.dmarc),
    next: nextFix(results, usageType),
    compliance: listedStatuses(results, own),
  };
}
