/** Alerts about the score of a domain. */
import type { Grade } from '../score/grade.ts';
import { gradeOf } from '../score/score.ts';
import type { AlertDraft } from './alert.ts';
import type { CheckRunFacts } from './facts.ts';

type Scored = Pick<CheckRunFacts, 'score' | 'grade'>;

const grades: readonly Grade[] = ['A', 'B', 'C', 'D', 'F'];

/** `critical` if the score dropped two grades, `info` if it rose; none if one of the scores is unknown. */
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
      title: `Score ${rose ? 'rose' : 'dropped'} from ${previousScore} to ${newScore}: ${domain}`,
      message:
        previousGrade === newGrade
          ? `The grade is still ${newGrade}.`
          : `The grade changed from ${previousGrade} to ${newGrade}.`,
      metadata: { previousScore, newScore, previousGrade, newGrade },
    },
  ];
}

/** The score crossed the threshold: `warning` if it dropped, `info` if it rose. */
export function scoreThreshold(
  domain: string,
  {
    baseline,
    facts,
    threshold,
    crossed,
  }: { baseline: Scored; facts: Scored; threshold: number; crossed: 'below' | 'above' },
): AlertDraft {
  const fell = crossed === 'below';
  return {
    type: 'score_threshold',
    severity: fell ? 'warning' : 'info',
    title: `Score ${fell ? 'below' : 'no longer below'} ${threshold}: ${domain}`,
    message: `The score is ${facts.score}. The alert threshold is ${threshold}.`,
    metadata: { threshold, previousScore: baseline.score, newScore: facts.score, direction: crossed },
  };
}
