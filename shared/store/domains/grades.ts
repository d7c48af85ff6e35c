import { usageTypes } from '../../checks/state.ts';
import type { Grade } from '../../score/grade.ts';
import { gradeOf } from '../../score/score.ts';
import type { Domain } from './domain.ts';

/** The scores of a domain, in the order of `usageTypes`. */
export const scoresOf = (scores: Domain['scores']): (number | null)[] =>
  usageTypes.map((usage) => scores?.[usage] ?? null);

/** The grades of scores. */
export const gradesOf = (scores: readonly (number | null)[]): (Grade | null)[] =>
  scores.map((score) => (score === null ? null : gradeOf(score).grade));
