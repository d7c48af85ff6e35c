/** The security score of a domain: the points that its checks earn of those that its usage type requires. */

import { existsInDns } from '../checks/existence.ts';
import { isInEffect } from '../checks/outcome.ts';
import type { CheckResults } from '../checks/results.ts';
import type { CheckState, UsageType } from '../checks/state.ts';
import { breakdownOf, unknownBreakdown } from './breakdown.ts';
import { type Judgement, judge } from './credit.ts';
import type { Grade } from './grade.ts';
import type { ComponentScore, Score } from './shapes.ts';
import { type Component, weights } from './weights.ts';

type Label = Score['label'];

/** Interface specification, "Security score": the lowest score of each grade, best first. */
const grades: readonly { readonly from: number; readonly grade: Grade; readonly label: Label }[] = [
  { from: 90, grade: 'A', label: 'Excellent' },
  { from: 80, grade: 'B', label: 'Good' },
  { from: 70, grade: 'C', label: 'Fair' },
  { from: 60, grade: 'D', label: 'Poor' },
  { from: 0, grade: 'F', label: 'Critical' },
];

/** What is said about a domain that does not exist, which has no grade. */
export const NO_SUCH_DOMAIN = 'This domain does not exist.';

const noScore = { score: null, grade: null, label: 'Not checked' } as const;

/**
 * Scores the results of a domain by its usage type.
 *
 * What is unknown is left out and the rest is scaled to 100, so the score is between those of the worst and the best
 * possible answer. A caller with a last known result passes that instead, marked with `asOf`. A domain that does not exist
 * has no score.
 */
export function computeScore(results: CheckResults, usage: UsageType): Score {
  const judged = componentsOf(usage).map(([component, weight]) => weigh(component, weight, results, usage));
  const weight = sum(judged.map((one) => one.weight));
  const maximum = sum(judged.map((one) => one.maximum));
  const points = sum(judged.map((one) => one.points));
  const components = judged
    .map(
      (one): ComponentScore => ({
        component: one.component,
        points: rounded(one.points, 1),
        maximum: rounded(one.maximum, 1),
        gain: one.maximum === 0 ? 0 : rounded((100 * (one.maximum - one.points)) / maximum, 1),
        state: stateOf(one, results),
        reason: [...new Set(one.judgements.map((judgement) => judgement.reason))].join(' '),
        todo: [...new Set(one.judgements.flatMap((judgement) => judgement.todo ?? []))].join(' ') || null,
      }),
    )
    .sort((a, b) => b.gain - a.gain);
  const rest = {
    usageType: usage,
    breakdown: breakdownOf(results),
    components,
    confidence: rounded(maximum / weight, 2),
    exists: existsInDns(results),
  };
  if (!rest.exists)
    return {
      ...noScore,
      ...rest,
      message: `${NO_SUCH_DOMAIN} Check the spelling; if it is right, register the domain or renew it.`,
    };
  if (maximum === 0) {
    const message =
      'None of the checks got an answer, so there is nothing to score. Run the checks again later.';
    return { ...noScore, ...rest, message };
  }
  const complete = judged.every((one) =>
    one.judgements.every(({ fraction }) => fraction === 1 || fraction === null),
  );
  const score = complete ? 100 : Math.min(rounded((100 * points) / maximum, 0), 99);
  return { score, ...gradeOf(score), ...rest };
}

/** The score of the same results for each usage type. */
export type ScoresByUsage = Readonly<Record<UsageType, number | null>>;

export function scoresByUsage(results: CheckResults): ScoresByUsage {
  const usageTypes = Object.keys(weights) as UsageType[];
  return Object.fromEntries(
    usageTypes.map((usage) => [usage, computeScore(results, usage).score]),
  ) as ScoresByUsage;
}

/** Replaces the score of a domain that has not been checked yet. The caller adds a message that says what to do. */
export function notChecked(usage: UsageType): Score {
  const components = componentsOf(usage).map(
    ([component]): ComponentScore => ({
      component,
      points: 0,
      maximum: 0,
      gain: 0,
      state: 'unknown',
      reason: 'No checks have run yet.',
      todo: null,
    }),
  );
  return {
    ...noScore,
    usageType: usage,
    breakdown: unknownBreakdown,
    components,
    confidence: 0,
    exists: true,
  };
}

/** The grade and label of a score of 0 to 100. */
export function gradeOf(score: number): { readonly grade: Grade; readonly label: Label } {
  const { grade, label } = grades.find(({ from }) => score >= from) ?? { grade: 'F', label: 'Critical' };
  return { grade, label };
}

function componentsOf(usage: UsageType): readonly [Component, number][] {
  return Object.entries(weights[usage]) as [Component, number][];
}

interface Weighed {
  readonly component: Component;
  readonly weight: number;
  readonly points: number;
  readonly maximum: number;
  readonly judgements: readonly Judgement[];
}

function weigh(component: Component, weight: number, results: CheckResults, usage: UsageType): Weighed {
  const judgements = judge(component, results, usage);
  const known = judgements.filter(({ fraction }) => fraction !== null);
  return {
    component,
    weight,
    points: sum(known.map(({ part, fraction }) => weight * part * (fraction ?? 0))),
    maximum: sum(known.map(({ part }) => weight * part)),
    judgements,
  };
}

/**
 * DANE has no check of its own that could provide its state. Other checks do not know the usage type: a null MX is
 * correct, and yet a failure of a domain that receives mail.
 */
function stateOf({ component, points, maximum }: Weighed, results: CheckResults): CheckState {
  if (component !== 'dane') {
    const isMisfit = isInEffect(results[component]) && maximum > 0 && points === 0;
    return isMisfit ? 'fail' : results[component].state;
  }
  if (maximum === 0) return 'unknown';
  return points === maximum ? 'pass' : 'absent';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function rounded(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}
