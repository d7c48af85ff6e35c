import { expect, test } from '@jest/globals';
import { overdue } from '../../../shared/protocol/certificate-lifetime.ts';

const DAY = 86_400_000;
const now = new Date('2026-06-01');
const fromNow = (days: number) => new Date(now.getTime() + days * DAY);
/** A certificate that is valid for some days, of which some are left. */
const of = (days: number, left: number) =>
  overdue({ validFrom: fromNow(left - days), validTo: fromNow(left) }, now);

test.each([
  [90, 22],
  [64, 15],
  [45, 11],
  [6, 1.4],
  [200, 29],
  [3650, 29],
])('a certificate of %d days should have been renewed with %d left', (days, left) => {
  expect(of(days, left)).toEqual({ left: Math.floor(left), of: days });
});

test.each([
  [90, 23],
  [64, 17],
  [45, 12],
  [6, 1.6],
  [200, 31],
  [3650, 31],
])('a certificate of %d days is not late with %d left', (days, left) => {
  expect(of(days, left)).toBeUndefined();
});

test('an expired certificate has nothing left, and one without readable dates is not judged', () => {
  expect(of(90, -3)).toEqual({ left: 0, of: 90 });
  expect(overdue({ validFrom: new Date(Number.NaN), validTo: new Date(Number.NaN) }, now)).toBeUndefined();
});
