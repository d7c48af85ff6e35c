/** Alerts on the score of a domain. */
import { type Grade, gradeOf } from '../score/score.ts';
import type { AlertDraft } from './alert.ts';
import type { Facts } from './facts.ts';

type Scored = Pick<Facts, 'score' | 'grade'>;

const grades: readonly Grade[] = ['A', 'B', 'C', 'D', 'F'];

/** `critical` where it fell two grades, `info` where it rose; none where one of the two is not known. */
export function scoreChange(domain: string, before: Scored, after: Scored): AlertDraft[] {
  const [previousScore, newScore] = [before.score, after.score];
  if (previousScore === null || newScore === null) return [];
  const { grade: previousGrade } = gradeOf(previousScore);
  const { grade: newGrade } = gradeOf(newScore);
  const fall = grades.indexOf(newGrade) - grades.indexOf(previousGrade);
  const rose = newScore > previousScore;
  return [
    {
      type: 'score_change',
      severity: rose ? 'info' : fall >= 2 ? 'critical' : 'warning',
      title: `The score of ${domain} ${rose ? 'rose' : 'fell'} from ${previousScore} to ${newScore}`,
      message:
        previousGrade === newGrade
          ? `The grade is still ${newGrade}.`
          : `The grade was ${previousGrade} and is now ${newGrade}.`,
      metadata: { previousScore, newScore, previousGrade, newGrade },
      occasion: 'score_change',
    },
  ];
}

/** The score crossed the threshold: `warning` downwards, `info` upwards. */
export function scoreThreshold(
  domain: string,
  {
    told,
    facts,
    threshold,
    crossed,
  }: { told: Scored; facts: Scored; threshold: number; crossed: 'below' | 'above' },
): AlertDraft {
  const fell = crossed === 'below';
  return {
    type: 'score_threshold',
    severity: fell ? 'warning' : 'info',
    title: `The score of ${domain} is ${fell ? 'below' : 'no longer below'} ${threshold}`,
    message: `The score is ${facts.score}; alerts are set to scores below ${threshold}.`,
    metadata: { threshold, previousScore: told.score, newScore: facts.score, direction: crossed },
    occasion: 'score_threshold',
  };
}
