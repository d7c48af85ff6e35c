import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { exactRateStore } from '../../../../shared/store/rates/exact-rates.ts';
import { passesIn, rateStore, readOfRate } from '../../../../shared/store/rates/rates.ts';
import { counted } from '../../../kit/capacity.ts';
import { useTable } from '../../../kit/use-table.ts';

const table = await useTable();
const rates = rateStore(table);

const limits = { limit: 5, windowMilliseconds: 60_000 };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);

const exactly = (who: string, seconds: number) =>
  exactRateStore(table).consumeExact('checks', who, limits, at(seconds));
const nearly = (who: string, seconds: number, limit = 5) =>
  rates.consume('api', who, { ...limits, limit }, at(seconds));

describe.each([
  ['an exact limit', exactly],
  ['a counted limit', nearly],
])('%s', (_, pass) => {
  test('discards counts from a wrong clock', async () => {
    const who = randomUUID();
    for (let n = 0; n < 5; n += 1) await pass(who, 7200);
    expect((await pass(who, 10)).allowed).toBe(true);
    expect((await pass(who, 7199)).allowed).toBe(true);
  });
});

describe('an exact limit of 5 in 60 seconds', () => {
  const pass = exactly;

  test('allows five and rejects the sixth until the first is 60 seconds old', async () => {
    const who = randomUUID();
    for (const second of [0, 10, 20, 30, 40]) expect(await pass(who, second)).toEqual({ allowed: true });
    expect(await pass(who, 50)).toEqual({ allowed: false, retryAfterMilliseconds: 10_000 });
    expect(await pass(who, 59.999)).toEqual({ allowed: false, retryAfterMilliseconds: 1 });
    expect(await pass(who, 60)).toEqual({ allowed: true });
    expect(await pass(who, 60)).toEqual({ allowed: false, retryAfterMilliseconds: 10_000 });
  });

  test('never allows more than five in any 60 seconds', async () => {
    const who = randomUUID();
    const passed: number[] = [];
    for (let second = 0; second < 300; second += 7)
      if ((await pass(who, second)).allowed) passed.push(second);
    for (const second of passed) {
      expect(passed.filter((other) => other >= second && other < second + 60).length).toBeLessThanOrEqual(5);
    }
    expect(passed.length).toBeGreaterThanOrEqual(22);
  });

  test('allows exactly five of thirty concurrent requests', async () => {
    const who = randomUUID();
    const decisions = await Promise.all(Array.from({ length: 30 }, () => pass(who, 0)));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  });

  test('never returns a wait of more than 60 seconds, even if other clocks are ahead', async () => {
    const who = randomUUID();
    for (const second of [2, 1, 3, 2, 2]) expect((await pass(who, second)).allowed).toBe(true);
    expect(await pass(who, 0)).toEqual({ allowed: false, retryAfterMilliseconds: 60_000 });
    expect(await pass(who, 5)).toEqual({ allowed: false, retryAfterMilliseconds: 56_000 });
  });

  test('counts each caller separately', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    for (let n = 0; n < 5; n += 1) await pass(one, 0);
    expect((await pass(one, 0)).allowed).toBe(false);
    expect((await pass(two, 0)).allowed).toBe(true);
  });
});

describe('a counted limit', () => {
  const pass = nearly;

  test('allows its number of requests, also concurrently', async () => {
    const who = randomUUID();
    const decisions = await Promise.all(Array.from({ length: 20 }, () => pass(who, 1)));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  });

  test('is not doubled by a burst at the boundary of two windows', async () => {
    const who = randomUUID();
    for (let n = 0; n < 5; n += 1) await pass(who, 59);
    expect((await pass(who, 61)).allowed).toBe(false);
  });

  test('returns the time at which it next allows the caller, and not earlier', async () => {
    const who = randomUUID();
    for (const second of [59, 60, 60, 70, 80]) expect((await pass(who, second)).allowed).toBe(true);
    expect(await pass(who, 80)).toEqual({ allowed: false, retryAfterMilliseconds: 39_000 });
    expect(await pass(who, 118.5)).toEqual({ allowed: false, retryAfterMilliseconds: 500 });
    expect((await pass(who, 119)).allowed).toBe(true);
    expect(await pass(who, 119)).toEqual({ allowed: false, retryAfterMilliseconds: 1000 });
  });

  test('returns what is left of the limit, and the time until there is more', async () => {
    const who = randomUUID();
    const quotas = [];
    for (const second of [59, 60, 70, 120, 120, 120, 120]) {
      const { quota } = await pass(who, second);
      quotas.push([quota?.remaining, quota?.resetMilliseconds]);
    }
    expect(quotas).toEqual([
      [4, 60_000],
      [3, 59_000],
      [2, 49_000],
      [3, 10_000],
      [2, 10_000],
      [1, 10_000],
      [0, 10_000],
    ]);
  });

  test('allows a persistent caller its full rate', async () => {
    const who = randomUUID();
    const passed: number[] = [];
    for (let second = 0; second < 600; second += 7.5)
      if ((await pass(who, second)).allowed) passed.push(second);
    expect(passed).toHaveLength(50);
    for (const second of passed) {
      expect(passed.filter((other) => other >= second && other < second + 60).length).toBeLessThanOrEqual(5);
    }
  });

  test('lets a caller pass who waits as long as requested, every time', async () => {
    const who = randomUUID();
    let second = 0.3;
    for (let n = 0; n < 30; n += 1) {
      const decision = await pass(who, second);
      if (!decision.allowed) {
        expect(decision.retryAfterMilliseconds).toBeLessThanOrEqual(60_000);
        second += Math.ceil(decision.retryAfterMilliseconds / 1000);
        expect((await pass(who, second)).allowed).toBe(true);
      }
      second += 0.4;
    }
  });

  test('never allows more than its number in 59 seconds, whatever the pattern of requests', async () => {
    const who = randomUUID();
    const passed: number[] = [];
    // Gaps of 0 to 30 s in an irregular order.
    for (let n = 0, second = 0; n < 300; n += 1, second += ((n * n * 7) % 31) ** 2 / 30) {
      if ((await pass(who, second)).allowed) passed.push(second);
    }
    for (const second of passed) {
      expect(passed.filter((other) => other >= second && other < second + 59).length).toBeLessThanOrEqual(5);
    }
    expect(passed.length).toBeGreaterThan(100);
  });

  test('discards what left the window, also after a long time and all at once', async () => {
    const who = randomUUID();
    for (const second of [0, 1, 2, 3, 4]) await pass(who, second);
    const decisions = await Promise.all(Array.from({ length: 20 }, () => pass(who, 3600)));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
    expect(await pass(who, 3601)).toEqual({ allowed: false, retryAfterMilliseconds: 59_000 });
  });

  test('never returns a wait of more than 60 seconds, even if other clocks are ahead', async () => {
    const who = randomUUID();
    for (const second of [2, 1, 3, 2, 2]) expect((await pass(who, second)).allowed).toBe(true);
    expect(await pass(who, 0)).toEqual({ allowed: false, retryAfterMilliseconds: 60_000 });
    expect(await pass(who, 5)).toEqual({ allowed: false, retryAfterMilliseconds: 57_000 });
  });

  test('is spent after its number of requests, and available again long after', async () => {
    const who = randomUUID();
    const isExhausted = async (second: number) => {
      const read = readOfRate('api', who);
      return passesIn((await table.getMany([read])).of(read), limits, at(second)) >= limits.limit;
    };
    for (const second of [0, 0, 10, 20]) await pass(who, second);
    expect(await isExhausted(30)).toBe(false);
    await pass(who, 30);
    expect([await isExhausted(59), await isExhausted(60)]).toEqual([true, false]);
  });

  test('costs half a read unit, plus a write if it allows the request; only the write again in one step', async () => {
    const who = randomUUID();
    const { table: measured, capacity } = counted(table);
    const units = async (second: number) => {
      const before = capacity.units();
      await rateStore(measured).consume('api', who, limits, at(second));
      const after = capacity.units();
      return [after.reads - before.reads, after.writes - before.writes];
    };
    expect(await units(0)).toEqual([0.5, 1]);
    expect(await units(0)).toEqual([0, 1]);
    for (const second of [1, 2, 50]) expect(await units(second)).toEqual([0.5, 1]);
    expect(await units(51)).toEqual([0.5, 0]);
    expect(await units(1000)).toEqual([0.5, 1]);
  });

  test('of 0 is none', async () => {
    const who = randomUUID();
    for (let n = 0; n < 10; n += 1) expect(await pass(who, 0, 0)).toEqual({ allowed: true });
  });
});
