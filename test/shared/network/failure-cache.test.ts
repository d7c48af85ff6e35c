import { describe, expect, test } from '@jest/globals';
import { createFailureCache } from '../../../shared/network/failure-cache.ts';
import type { Unavailable } from '../../../shared/protocol/dns.ts';

const failed = (reason: Unavailable['reason']): Unavailable => ({
  status: 'unavailable',
  reason,
  evidence: { server: '192.0.2.53:53', milliseconds: 6000 },
});

/** A cache with its own clock, in seconds. Another name resolves all the time unless there is an outage. */
function world({ isOutage = false } = {}) {
  let now = 0;
  const cache = createFailureCache({ now: () => new Date(now) });
  const tick = (seconds: number) => {
    now += seconds * 1000;
    if (!isOutage) cache.resolved('another question');
  };
  tick(1_000_000);
  return {
    cache,
    tick,
    setBack: () => {
      now = 0;
    },
    fail(reason: Unavailable['reason'] = 'timeout', key = 'key') {
      cache.put(key, failed(reason), now);
    },
    /** Whole seconds until the failure expires. */
    secondsLeft(key = 'key') {
      let seconds = 0;
      for (; cache.get(key) !== undefined; seconds += 1) tick(1);
      return seconds;
    },
  };
}

/** How long each of `count` failures in a row is cached. */
function backOff(
  count: number,
  { fail, secondsLeft }: ReturnType<typeof world>,
  reason?: Unavailable['reason'],
): number[] {
  return Array.from({ length: count }, () => {
    fail(reason);
    return secondsLeft();
  });
}

describe('the cache of resolution failures (RFC 9520 section 3.2)', () => {
  test.each(['timeout', 'server-failure', 'refused', 'malformed'] as const)(
    'caches %s from 3 seconds to 5 minutes, doubling after each failure in a row',
    (reason) => {
      expect(backOff(9, world(), reason)).toEqual([3, 6, 12, 24, 48, 96, 192, 300, 300]);
    },
  );

  test('returns a failure unchanged, marked as cached', () => {
    const { cache, fail } = world();
    fail('refused');
    expect(cache.get('key')).toEqual({
      status: 'unavailable',
      reason: 'refused',
      evidence: { server: '192.0.2.53:53', milliseconds: 0, fromCache: true },
    });
    expect(cache.get('another key')).toBeUndefined();
  });

  test('resets the back-off after a success', () => {
    const at = world();
    backOff(4, at);
    at.cache.resolved('key');
    expect(backOff(2, at)).toEqual([3, 6]);
  });

  test('resets the back-off if the last failure is long past', () => {
    const at = world();
    backOff(4, at);
    at.tick(300);
    expect(backOff(1, at)).toEqual([48]);
    at.tick(301);
    expect(backOff(2, at)).toEqual([3, 6]);
  });

  test('does not count an attempt that began before the last failure expired as another failure', () => {
    const { cache, fail, tick, secondsLeft } = world();
    fail();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      tick(0.1);
      fail();
    }
    expect(secondsLeft()).toBe(3);
    expect(cache.get('key')).toBeUndefined();
    fail();
    expect(secondsLeft()).toBe(6);
  });

  test('discards failures when the clock is set back', () => {
    const { cache, fail, setBack } = world();
    fail();
    setBack();
    expect(cache.get('key')).toBeUndefined();
  });

  test('evicts the entries that failed least recently', () => {
    const { cache, fail } = world();
    for (let at = 0; at < 5_000; at += 1) fail('timeout', `key ${at}`);
    for (const at of [0, 5_000]) fail('timeout', `key ${at}`);
    const kept = [0, 1, 2, 5_000].map((at) => cache.get(`key ${at}`) !== undefined);
    expect(kept).toEqual([true, false, true, true]);
  });

  test('remembers the last failure for 5 minutes', () => {
    const { cache, fail, tick } = world();
    fail();
    tick(299);
    expect(cache.get('key')).toBeUndefined();
    expect(cache.last('key')).toMatchObject({ reason: 'timeout', evidence: { fromCache: true } });
    tick(1);
    expect(cache.last('key')).toBeUndefined();
  });
});

describe('an outage of the network or the resolver', () => {
  test.each(['timeout', 'server-failure'] as const)(
    'while nothing resolves, %s is cached for half a minute at most',
    (reason) => {
      expect(backOff(7, world({ isOutage: true }), reason)).toEqual([3, 6, 12, 24, 30, 30, 30]);
    },
  );

  test.each([
    ['has not begun when something resolved a minute ago', 15, 48],
    ['begins after more than a minute', 16, 30],
  ])('%s', (_, seconds, last) => {
    const at = world({ isOutage: true });
    at.cache.resolved('another question');
    at.tick(seconds);
    // The fifth failure is 45 seconds after the first.
    expect(backOff(5, at)).toEqual([3, 6, 12, 24, last]);
  });

  test('while no server is reachable, failures are cached for a second and do not increase the back-off', () => {
    const at = world();
    expect(backOff(10, at, 'unreachable')).toEqual(Array(10).fill(1));
    expect(backOff(2, at)).toEqual([3, 6]);
  });
});
