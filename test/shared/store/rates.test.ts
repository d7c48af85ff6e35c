import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RateStore, rateStore } from '../../../shared/store/rates.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';

let table: EmptyTable;
let rates: RateStore;

beforeAll(async () => {
  table = await emptyTable();
  rates = rateStore(table);
});
afterAll(() => table.stop());

const limits = { limit: 5, windowMilliseconds: 60_000 };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);

describe('an exact limit of 5 in 60 seconds', () => {
  const pass = (who: string, seconds: number) => rates.exact('checks', who, limits, at(seconds));

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
  const pass = (who: string, seconds: number, limit = 5) =>
    rates.counted('api', who, { ...limits, limit }, at(seconds));

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

  test('tells when it will let the caller pass, and does', async () => {
    const who = randomUUID();
    for (let n = 0; n < 5; n += 1) await pass(who, 59);
    const refused = await pass(who, 60);
    if (refused.allowed) throw new Error('the sixth passed');
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect((await pass(who, 60 + refused.retryAfter / 1000 + 12)).allowed).toBe(true);
  });

  test('of 0 is none', async () => {
    const who = randomUUID();
    for (let n = 0; n < 10; n += 1) expect(await pass(who, 0, 0)).toEqual({ allowed: true });
  });
});
