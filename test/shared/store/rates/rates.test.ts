import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exactRateStore } from '../../../../shared/store/rates/exact-rates.ts';
import { type RateStore, rateStore } from '../../../../shared/store/rates/rates.ts';
import { counted } from '../../../kit/capacity.ts';
import { type EmptyTable, emptyTable } from '../../../kit/table.ts';

let table: EmptyTable;
let rates: RateStore;

beforeAll(async () => {
  table = await emptyTable();
  rates = rateStore(table);
});
afterAll(() => table.stop());

const limits = { limit: 5, windowMilliseconds: 60_000 };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);

const exactly = (who: string, seconds: number) =>
  exactRateStore(table).pass('checks', who, limits, at(seconds));
const nearly = (who: string, seconds: number, limit = 5) =>
  rates.counted('api', who, { ...limits, limit }, at(seconds));

describe.each([
  ['an exact limit', exactly],
  ['a counted limit', nearly],
])('%s', (_, pass) => {
  test('forgets what was counted by a clock that was wrong', async () => {
    const who = randomUUID();
    for (let n = 0; n < 5; n += 1) await pass(who, 7200);
    expect((await pass(who, 10)).allowed).toBe(true);
    expect((await pass(who, 7199)).allowed).toBe(true);
  });
});

describe('an exact limit of 5 in 60 seconds', () => {
  const pass = exactly;

  test('lets five pass and tells the sixth when the first of them is 60 seconds old', async () => {
    const who = randomUUID();
    for (const second of [0, 10, 20, 30, 40]) expect(await pass(who, second)).toEqual({ allowed: true });
    expect(await pass(who, 50)).toEqual({ allowed: false, retryAfter: 10_000 });
    expect(await pass(who, 59.999)).toEqual({ allowed: false, retryAfter: 1 });
    expect(await pass(who, 60)).toEqual({ allowed: true });
    expect(await pass(who, 60)).toEqual({ allowed: false, retryAfter: 10_000 });
  });

  test('never lets more than five pass in any 60 seconds', async () => {
    const who = randomUUID();
    const passed: number[] = [];
    for (let second = 0; second < 300; second += 7)
      if ((await pass(who, second)).allowed) passed.push(second);
    for (const second of passed) {
      expect(passed.filter((other) => other >= second && other < second + 60).length).toBeLessThanOrEqual(5);
    }
    expect(passed.length).toBeGreaterThanOrEqual(22);
  });

  test('lets exactly five of thirty at once pass', async () => {
    const who = randomUUID();
    const decisions = await Promise.all(Array.from({ length: 30 }, () => pass(who, 0)));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  });

  test('never tells to wait for longer than 60 seconds, though other clocks are ahead', async () => {
    const who = randomUUID();
    for (const second of [2, 1, 3, 2, 2]) expect((await pass(who, second)).allowed).toBe(true);
    expect(await pass(who, 0)).toEqual({ allowed: false, retryAfter: 60_000 });
    expect(await pass(who, 5)).toEqual({ allowed: false, retryAfter: 56_000 });
  });

  test('counts each caller alone', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    for (let n = 0; n < 5; n += 1) await pass(one, 0);
    expect((await pass(one, 0)).allowed).toBe(false);
    expect((await pass(two, 0)).allowed).toBe(true);
  });
});

describe('a counted limit', () => {
  const pass = nearly;

  test('lets as many pass as it says, also at once', async () => {
    const who = randomUUID();
    const decisions = await Promise.all(Array.from({ length: 20 }, () => pass(who, 1)));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  });

  test('does not let a burst at the edge of two windows double it', async () => {
    const who = randomUUID();
    for (let n = 0; n < 5; n += 1) await pass(who, 59);
    expect((await pass(who, 61)).allowed).toBe(false);
  });

  test('tells when it will let the caller pass, and does, and not before', async () => {
    const who = randomUUID();
    for (const second of [59, 60, 60, 70, 80]) expect(await pass(who, second)).toEqual({ allowed: true });
    expect(await pass(who, 80)).toEqual({ allowed: false, retryAfter: 39_000 });
    expect(await pass(who, 118.5)).toEqual({ allowed: false, retryAfter: 500 });
    expect(await pass(who, 119)).toEqual({ allowed: true });
    expect(await pass(who, 119)).toEqual({ allowed: false, retryAfter: 1000 });
  });

  test('lets a caller who keeps asking pass as often as it says', async () => {
    const who = randomUUID();
    const passed: number[] = [];
    for (let second = 0; second < 600; second += 7.5)
      if ((await pass(who, second)).allowed) passed.push(second);
    expect(passed).toHaveLength(50);
    for (const second of passed) {
      expect(passed.filter((other) => other >= second && other < second + 60).length).toBeLessThanOrEqual(5);
    }
  });

  test('is told right to whoever waits as long as told, each time', async () => {
    const who = randomUUID();
    let second = 0.3;
    for (let n = 0; n < 30; n += 1) {
      const decision = await pass(who, second);
      if (!decision.allowed) {
        expect(decision.retryAfter).toBeLessThanOrEqual(60_000);
        second += Math.ceil(decision.retryAfter / 1000);
        expect((await pass(who, second)).allowed).toBe(true);
      }
      second += 0.4;
    }
  });

  test('never lets more than it says pass in 59 seconds, whatever is asked when', async () => {
    const who = randomUUID();
    const passed: number[] = [];
    // Gaps of 0 to 30 s, in no order that repeats soon.
    for (let n = 0, second = 0; n < 300; n += 1, second += ((n * n * 7) % 31) ** 2 / 30) {
      if ((await pass(who, second)).allowed) passed.push(second);
    }
    for (const second of passed) {
      expect(passed.filter((other) => other >= second && other < second + 59).length).toBeLessThanOrEqual(5);
    }
    expect(passed.length).toBeGreaterThan(100);
  });

  test('forgets what left the window, also after a long time, and all at once', async () => {
    const who = randomUUID();
    for (const second of [0, 1, 2, 3, 4]) await pass(who, second);
    const decisions = await Promise.all(Array.from({ length: 20 }, () => pass(who, 3600)));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
    expect(await pass(who, 3601)).toEqual({ allowed: false, retryAfter: 59_000 });
  });

  test('never tells to wait for longer than 60 seconds, though other clocks are ahead', async () => {
    const who = randomUUID();
    for (const second of [2, 1, 3, 2, 2]) expect((await pass(who, second)).allowed).toBe(true);
    expect(await pass(who, 0)).toEqual({ allowed: false, retryAfter: 60_000 });
    expect(await pass(who, 5)).toEqual({ allowed: false, retryAfter: 57_000 });
  });

  test('is spent once as many passed, and no more when they are long past', async () => {
    const who = randomUUID();
    const isSpent = (second: number) => rates.isSpent('api', who, limits, at(second));
    for (const second of [0, 0, 10, 20]) await pass(who, second);
    expect(await isSpent(30)).toBe(false);
    await pass(who, 30);
    expect([await isSpent(59), await isSpent(60)]).toEqual([true, false]);
  });

  test('costs half a read, and a write where something passes', async () => {
    const who = randomUUID();
    const { table: measured, capacity } = counted(table);
    const units = async (second: number) => {
      const before = capacity.units();
      await rateStore(measured).counted('api', who, limits, at(second));
      const after = capacity.units();
      return [after.reads - before.reads, after.writes - before.writes];
    };
    for (const second of [0, 0, 1, 2, 50]) expect(await units(second)).toEqual([0.5, 1]);
    expect(await units(51)).toEqual([0.5, 0]);
    expect(await units(1000)).toEqual([0.5, 1]);
  });

  test('of 0 is none', async () => {
    const who = randomUUID();
    for (let n = 0; n < 10; n += 1) expect(await pass(who, 0, 0)).toEqual({ allowed: true });
  });
});
