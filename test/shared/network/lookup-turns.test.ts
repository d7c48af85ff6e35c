import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, jest, test } from '@jest/globals';
import { lookupTurns } from '../../../shared/network/lookup-turns.ts';

const limits = { places: 4, placeMilliseconds: 40, openPerZone: 3, open: 8 };

/** Lookups that never end by themselves, and the order in which they start. */
function silent(inTurn: ReturnType<typeof lookupTurns>) {
  const started: string[] = [];
  const ended: string[] = [];
  const start = (zone: string, name = zone) =>
    void inTurn(zone, async (signal) => {
      started.push(name);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended.push(name);
    });
  return { started, ended, start };
}

describe('lookups', () => {
  test('return what they find, or fail', async () => {
    const inTurn = lookupTurns(limits);
    expect(await inTurn('a', async () => 1)).toBe(1);
    await expect(inTurn('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  test('run at most as many at once as there are places', async () => {
    const inTurn = lookupTurns(limits);
    let now = 0;
    let most = 0;
    const work = async () => {
      now += 1;
      most = Math.max(most, now);
      await sleep(1);
      now -= 1;
    };
    await Promise.all(Array.from({ length: 50 }, (_, at) => inTurn(`z${at}`, work)));
    expect([most, now]).toEqual([4, 0]);
  });

  test('of silent zones give their places back, and go on', async () => {
    const inTurn = lookupTurns(limits);
    const { started, ended, start } = silent(inTurn);
    for (let at = 0; at < 4; at += 1) start(`silent${at}`);
    expect(await inTurn('healthy', async () => 'answer')).toBe('answer');
    expect([started.length, ended.length]).toEqual([4, 0]);
  });

  test('of one zone wait for others of that zone, and not others for them', async () => {
    const inTurn = lookupTurns(limits);
    const { started, start } = silent(inTurn);
    for (let at = 0; at < 100; at += 1) start('silent', `n${at}`);
    expect(await inTurn('healthy', async () => 'answer')).toBe('answer');
    await sleep(2 * limits.placeMilliseconds);
    expect(started).toEqual(['n0', 'n1', 'n2']);
  });

  test('of zones take turns', async () => {
    const inTurn = lookupTurns({ ...limits, places: 1, openPerZone: 100 });
    const order: string[] = [];
    const zones = ['a', 'a', 'a', 'a', 'b', 'c'];
    await Promise.all(zones.map((zone) => inTurn(zone, async () => void order.push(zone))));
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
  });

  test('that are too many end, the longest one first', async () => {
    const inTurn = lookupTurns(limits);
    const { ended, start } = silent(inTurn);
    for (let at = 0; at < 20; at += 1) start(`s${at}`);
    expect(await inTurn('healthy', async () => 'answer')).toBe('answer');
    expect(ended.slice(0, 3)).toEqual(['s0', 's1', 's2']);
  });

  test('that are too many go on while nobody waits', async () => {
    const inTurn = lookupTurns(limits);
    const { ended, start } = silent(inTurn);
    for (let at = 0; at < limits.open; at += 1) start(`s${at}`);
    await sleep(4 * limits.placeMilliseconds);
    expect(ended).toEqual([]);
  });

  test('have 200 places for half a second, 40 open ones in a zone, and 600 in all', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
    try {
      const { started, ended, start } = silent(lookupTurns());
      for (let at = 0; at < 50; at += 1) start('silent');
      expect(started).toHaveLength(40);
      for (let at = 0; at < 1000; at += 1) start(`s${at}`);
      const counts = [[started.length, ended.length]];
      for (const milliseconds of [499, 1, 500, 500]) {
        await jest.advanceTimersByTimeAsync(milliseconds);
        counts.push([started.length, ended.length]);
      }
      expect(counts.join(' ')).toBe('200,0 200,0 400,0 600,0 800,200');
    } finally {
      jest.useRealTimers();
    }
  });
});
