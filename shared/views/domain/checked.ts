/** A check run of a domain with its score. */
import type { CheckResults } from '../../checks/results.ts';
import type { UsageType } from '../../checks/state.ts';
import { computeScore } from '../../score/score.ts';
import type { Score } from '../../score/shapes.ts';

export interface Checked {
  readonly checkedAt: string;
  readonly results: CheckResults;
  readonly score: Score;
}

export const checkedOf = ({ checkedAt, results }: Omit<Checked, 'score'>, usageType: UsageType): Checked => ({
  checkedAt,
  results,
  score: computeScore(results, usageType),
});
