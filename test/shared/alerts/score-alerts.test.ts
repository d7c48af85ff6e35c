/** When a changed score is worth an alert, and how bad it is. */
import { expect, test } from '@jest/globals';
import { scoreChange } from '../../../shared/alerts/score-alerts.ts';

const scored = (score: number | null) => ({ score, grade: null });

test.each([
  ['a fall by a grade', 90, 89, ['warning', 'The grade changed from A to B.']],
  ['a fall by two grades', 90, 79, ['critical', 'The grade changed from A to C.']],
  ['a fall within a grade', 79, 70, ['warning', 'The grade is still C.']],
  ['a rise', 79, 80, ['info', 'The grade changed from C to B.']],
  ['a rise from 0', 0, 1, ['info', 'The grade is still F.']],
  ['a score that was unknown before', null, 50, []],
  ['a score that is unknown now', 50, null, []],
])('%s', (_what, before, after, expected) => {
  const alerts = scoreChange('example.com', scored(before), scored(after));
  expect(alerts.flatMap(({ severity, message }) => [severity, message])).toEqual(expected);
});
