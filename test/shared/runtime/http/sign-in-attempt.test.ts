import { expect, test } from '@jest/globals';
import { attemptCookie, attemptIn } from '../../../../shared/runtime/http/sign-in-attempt.ts';

test.each([
  [-1, false],
  [0, true],
  [600_000, true],
  [600_001, false],
])('an attempt that began %i ms ago is known: %s', (age, isKnown) => {
  const began = new Date('2026-03-01T06:00:00Z');
  const attempt = { state: 's', nonce: 'n', verifier: 'v', isFresh: false, to: '/console' };
  const [cookie = ''] = attemptCookie(attempt, began)['set-cookie'].split('; ');
  expect(attemptIn([cookie], 's', new Date(began.getTime() + age)) !== undefined).toBe(isKnown);
});
