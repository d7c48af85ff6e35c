import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { confirmAfterSeconds, nextCheckAt } from '../../../shared/monitoring/check-times.ts';

const DAY_SECONDS = 86_400;
const DAY = DAY_SECONDS * 1000;
const start = Date.parse('2026-01-05T00:00:00Z');

/** The times at which a domain is checked if each check starts `late` milliseconds after it is due. */
function turns(id: string, number: number, late = 30_000): number[] {
  const taken: number[] = [];
  let due = start;
  for (let turn = 0; turn < number; turn += 1) {
    taken.push(due + late);
    due = nextCheckAt(id, new Date(due), new Date(due + late), DAY_SECONDS).getTime();
  }
  return taken;
}

const gaps = (times: readonly number[]) => times.slice(1).map((time, at) => time - (times[at] ?? 0));

describe('the schedule of checks', () => {
  test('uses the interval, extended by up to a tenth until the domain reaches its own time slot', () => {
    for (const id of Array.from({ length: 50 }, () => randomUUID())) {
      const between = gaps(turns(id, 30));
      expect(Math.min(...between)).toBeGreaterThanOrEqual(DAY);
      expect(Math.max(...between)).toBeLessThanOrEqual(1.1 * DAY);
      expect(between.slice(-10)).toEqual(Array.from({ length: 10 }, () => DAY));
    }
  });

  test('spreads domains that were added together over the interval', () => {
    const hours = new Map<number, number>();
    for (let domain = 0; domain < 2_400; domain += 1) {
      const last = turns(randomUUID(), 15).at(-1) ?? 0;
      const hour = Math.floor((last % DAY) / 3_600_000);
      hours.set(hour, (hours.get(hour) ?? 0) + 1);
    }
    expect(hours.size).toBe(24);
    expect(Math.max(...hours.values())).toBeLessThan(200);
  });

  test('resumes one interval after the backlog of an outage is processed, so that no domain is checked twice', () => {
    const now = start + 5 * DAY;
    const next = nextCheckAt(randomUUID(), new Date(start), new Date(now), DAY_SECONDS).getTime();
    expect(next).toBeGreaterThanOrEqual(now + DAY);
    expect(next).toBeLessThanOrEqual(now + 1.1 * DAY);
  });
});

test.each([
  [86_400, 60],
  [60, 15],
  [2, 1],
  [1, 1],
])('with an interval of %i s the confirming run comes after %i s', (interval, seconds) => {
  expect(confirmAfterSeconds(interval)).toBe(seconds);
});
