/** The one finding to fix first, for lists of many domains: the plan of a domain costs more, and says more. */
import { findingsOf } from '../checks/checks.ts';
import type { CheckResults } from '../checks/results.ts';
import { checkNames, type UsageType } from '../checks/state.ts';
import { isFailedLookup } from '../protocol/findings/catalogue.ts';
import type { Finding } from '../protocol/findings/finding.ts';
import { computeScore } from '../score/score.ts';
import { riskOf } from './risk.ts';

export interface NextFix {
  readonly finding: Finding;
  /** By how much the score can rise at most, together with other findings of the same check. */
  readonly gain: number;
}

/** The most dangerous finding, and of those of the same risk the one whose check can raise the score most; null if there is none. */
export function nextFix(results: CheckResults, usageType: UsageType): NextFix | null {
  const { components } = computeScore(results, usageType);
  const gains = new Map<string, number>(components.map(({ component, gain }) => [component, gain]));
  const found = checkNames.flatMap((check) =>
    findingsOf(check, results).map((finding) => ({ finding, gain: gains.get(check) ?? 0 })),
  );
  const [first] = found
    .filter(({ finding, gain }) => !isFailedLookup(finding) && (finding.severity === 'error' || gain > 0))
    .toSorted((a, b) => riskOf([a.finding.id]) - riskOf([b.finding.id]) || b.gain - a.gain);
  return first ?? null;
}
