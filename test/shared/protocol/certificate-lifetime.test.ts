import { expect, test } from '@jest/globals';
import { overdue } from '../../../shared/protocol/certificate-lifetime.ts';

const DAY = 86_400_000;
const now = new Date('2026-06-01');
const fromNow = (days: number) => new Date(now.getTime() + days * DAY);
/** A certificate that is valid for some days, of which some are left. */
const of = (days: number, left: number) =>
  overdue({ validFrom: fromNow(left - days), validTo: fromNow(left) }, now);

test.each([
  [90, 22, 23],
  [64, 15, 17],
  [45, 11, 12],
  [6, 1.4, 1.6],
  [200, 29, 31],
  [3650, 29, 31],
])(
  'a certificate of %d days should have been renewed with %d left, and is not late with %d',
  (days, left, more) => {
    expect(of(days, left)).toEqual({ left: Math.floor(left), of: days });
    expect(of(days, more)).toBeUndefined();
  },
);

test('an expired certificate has nothing left, and one without readable dates is not judged', () => {
  expect(of(90, -3)).toEqual({ left: 0, of: 90 });
  expect(overdue({ validFrom: new Date(Number.NaN), validTo: new Date(Number.NaN) }, now)).toBeUndefined();
});
