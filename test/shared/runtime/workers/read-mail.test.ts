import { expect, test } from '@jest/globals';
import { patienceOf } from '../../../../shared/runtime/workers/read-mail.ts';

/** What the patience of a mail counts, at these seconds: sent, first received, handled, and asked. */
function queuedSeconds(attempt: number, [sent, received, handled, asked]: readonly number[]): number {
  const at = (seconds = 0) => new Date(seconds * 1000);
  let now = at(handled);
  const work = { attempt: () => attempt, sentAt: () => at(sent), firstReceivedAt: () => at(received) };
  const { queuedMilliseconds } = patienceOf(work, { now: () => now });
  now = at(asked);
  return queuedMilliseconds() / 1000;
}

test.each([
  ['the time until the mail is received', 1, [0, 4, 4, 4], 4],
  ['the time since it is handled', 1, [0, 1, 1, 3], 3],
  ['not the time in which Lambda gathers a batch', 1, [0, 1, 11, 13], 3],
  ['all the time of a mail that is received again', 2, [0, 1, 6, 8], 8],
])('the patience of a mail counts %s', (_, attempt, times, expected) => {
  expect(queuedSeconds(attempt, times)).toBe(expected);
});
