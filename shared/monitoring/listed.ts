/** What lists of domains show of a check run. */
import type { CheckResults } from '../checks/results.ts';
import type { UsageType } from '../checks/state.ts';
import { nextFix } from '../fixes/next-fix.ts';
import type { Listed } from '../store/domains/listed.ts';

export function listedOf(results: CheckResults, usageType: UsageType): Listed {
  const { state, effectivePolicy } = results.dmarc;
  return {
    policy: state === 'unknown' ? null : (effectivePolicy ?? 'no-policy'),
    next: nextFix(results, usageType),
  };
}
