/** The proof of ownership over months of checks, with every kind of answer. */
import { describe, expect, test } from '@jest/globals';
import { isProofDue, missingAfter } from '../../../shared/monitoring/ownership.ts';
import { type Ownership, provenAt } from '../../../shared/store/domains/domain.ts';
import { random } from '../../kit/random.ts';

const DAY = 86_400_000;
const INTERVAL_SECONDS = 86_400;
const START = Date.parse('2026-01-05T08:00:00.000Z');
const DAYS = 90;

type Answer = 'found' | 'missing' | 'unavailable';

const answers: readonly Answer[] = ['found', 'missing', 'unavailable'];

/** What the checks of these times do: the days on which they look for the record, and on which the item opens and closes. */
function run(
  checks: readonly (readonly [at: number, answer: Answer])[],
  start: Ownership = DUE,
  intervalSeconds = INTERVAL_SECONDS,
) {
  let ownership = start;
  const [looked, opened, closed]: [number[], number[], number[]] = [[], [], []];
  let written = 0;
  for (const [at, answer] of checks) {
    const now = new Date(START + at * DAY);
    if (!isProofDue(ownership, now)) continue;
    looked.push(at);
    const before = ownership.missing;
    if (answer === 'found') {
      if (before?.isUnproven) closed.push(at);
      ownership = provenAt(now);
      written += 1;
    } else if (answer === 'missing') {
      const missing = missingAfter(before, now, intervalSeconds);
      if (missing === before) continue;
      written += 1;
      if (missing.isUnproven) opened.push(at);
      ownership = { ...ownership, missing };
    }
  }
  return { ownership, looked, opened, closed, written };
}

const PROVEN = provenAt(new Date(START));
/** A proof that lasted until the first check. */
const DUE = provenAt(new Date(START - 30 * DAY));

const daily = (answerOn: (day: number) => Answer, days = DAYS) =>
  Array.from({ length: days }, (_, day) => [day, answerOn(day)] as const);

describe('a check of each day', () => {
  test('writes nothing after the item has opened', () => {
    expect(run(daily(() => 'missing', 31)).written).toBe(31);
    expect(run(daily(() => 'missing', 400)).written).toBe(31);
  });

  test('learns nothing from failed lookups', () => {
    expect(run(daily(() => 'unavailable'))).toMatchObject({ written: 0, opened: [] });
    // The record is missing for two days, then nobody knows, and then it is missing for a day.
    const outage = run(daily((day) => (day < 2 || day === 89 ? 'missing' : 'unavailable')));
    expect(outage.opened).toEqual([]);
    expect(outage.ownership.missing?.seconds).toBe(3 * INTERVAL_SECONDS);
  });

  test('opens no item within 30 days of an old proof', () => {
    for (let present = 0; present < 60; present += 1)
      for (const day of run(daily((n) => (n < present ? 'found' : 'missing'), 31 + present)).opened)
        expect(day).toBeGreaterThanOrEqual(30);
  });
});

describe('in every sequence of answers', () => {
  /** Days with a lookup, and at most the day after each of them, on which the record was seen to be missing. */
  const observed = (missed: readonly number[]): number =>
    missed.reduce((sum, day, at) => sum + Math.min(2, day - (missed[at - 1] ?? day)), 0);

  /** The days on which the item opens and closes: 30 observed days without the record, and the record is back. */
  function expected(sequence: readonly Answer[]) {
    const [opened, closed]: [number[], number[]] = [[], []];
    let proven = 0;
    let missed: number[] = [];
    for (const [day, answer] of sequence.entries()) {
      if (missed.length === 0 && day - proven < 30) continue;
      if (answer === 'missing') {
        if (observed(missed) < 30 && observed([...missed, day]) >= 30) opened.push(day);
        missed.push(day);
      }
      if (answer === 'found') {
        if (observed(missed) >= 30) closed.push(day);
        [proven, missed] = [day, []];
      }
    }
    return { opened, closed };
  }

  /** Returns how many items opened. */
  function check(sequence: readonly Answer[]): number {
    const { opened, closed } = run(
      sequence.map((answer, day) => [day, answer]),
      PROVEN,
    );
    expect({ sequence, opened, closed }).toEqual({ sequence, ...expected(sequence) });
    return opened.length;
  }

  test('that lasts ten days each', () => {
    const blocks = 9;
    let opened = 0;
    for (let n = 0; n < 3 ** blocks; n += 1) {
      const block = (at: number): Answer => answers[Math.floor(n / 3 ** at) % 3] ?? 'found';
      opened += check(Array.from({ length: DAYS }, (_, day) => block(Math.floor(day / 10))));
    }
    expect(opened).toBeGreaterThan(100);
  });

  test('that changes at any day', () => {
    const numbers = random(31);
    const next = () => numbers(1000) / 1000;
    let opened = 0;
    for (let n = 0; n < 2000; n += 1) {
      const share = next();
      opened += check(
        Array.from({ length: DAYS }, () => {
          const one = next();
          return one < share ? 'missing' : one < share + (1 - share) / 20 ? 'found' : 'unavailable';
        }),
      );
    }
    expect(opened).toBeGreaterThan(100);
  });
});

describe('other clocks and intervals', () => {
  test('a clock that jumps ahead opens nothing, also when it is set back', () => {
    const jump: readonly (readonly [number, Answer])[] = [
      ...daily(() => 'missing', 5),
      [400, 'missing'],
      ...daily(() => 'missing', 40).slice(6),
    ];
    const { opened, ownership } = run(jump);
    // The jump counts as two days; the first check after it counts none.
    expect(opened).toEqual([30]);
    expect(ownership.missing).toMatchObject({ since: new Date(START).toISOString() });
  });

  test('a record that was first missed or found in the future is looked for now', () => {
    const future = new Date(START + 400 * DAY);
    expect(isProofDue(provenAt(future), new Date(START))).toBe(true);
    const ahead = missingAfter(null, future, INTERVAL_SECONDS);
    const at = new Date(START).toISOString();
    expect(missingAfter(ahead, new Date(START), INTERVAL_SECONDS)).toEqual({
      ...{ since: at, countedAt: at, seconds: 0, isUnproven: false },
    });
  });

  test.each([
    ['every minute', 60, 30],
    ['every hour', 3600, 30],
    ['every week', 7 * 86_400, 35],
    ['every 60 days', 60 * 86_400, 60],
  ])('checks %s open an item after 30 days', (_, intervalSeconds, day) => {
    const interval = intervalSeconds / 86_400;
    const checks = Array.from(
      { length: 1 + Math.floor(60 / interval) },
      (_, n) => [n * interval, 'missing'] as const,
    );
    const { opened, written } = run([...checks, [61, 'missing']], undefined, intervalSeconds);
    expect(opened[0]).toBeCloseTo(day, 5);
    expect(opened).toHaveLength(1);
    expect(written).toBeLessThanOrEqual(61);
  });

  test('a check that comes a little early still counts the day', () => {
    const early = daily(() => 'missing', 40).map(([day, answer]) => [day - (day % 2) * 0.1, answer] as const);
    expect(run(early).opened).toEqual([30]);
  });
});
