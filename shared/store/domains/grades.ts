import { usageTypes } from '../../checks/state.ts';
import type { Grade } from '../../score/grade.ts';
import { gradeOf } from '../../score/score.ts';
import type { Domain } from './domain.ts';

/** The grades of the scores of a domain, in the order of `usageTypes`. */
export function gradesOf(scores: Domain['scores']): (Grade | null)[] {
  return usageTypes.map((usage) => {
    const score = scores?.[usage] ?? null;
    return score === null ? null : gradeOf(score).grade;
  });
}
