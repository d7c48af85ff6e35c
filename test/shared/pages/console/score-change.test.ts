import { expect, test } from '@jest/globals';
import { scoreChangeInWords } from '../../../../shared/pages/console/domain/score-change.ts';

test.each([
  [10, 19, 'Score 10 -> 19 (+9).'],
  [19, 10, 'Score 19 -> 10 (-9).'],
  [19, 19, 'The score is still 19.'],
  [0, 0, 'The score is still 0.'],
  [null, 19, 'The score is 19.'],
  [19, null, 'There is no score.'],
])('from %p to %p', (before, after, said) => {
  expect(scoreChangeInWords(before, after)).toBe(`Checked. ${said}`);
});
