import { describe, expect, test } from '@jest/globals';
import { createDnsCache, type Keepable } from '../../../shared/network/dns-cache.ts';

const kept = (address: string, more: Partial<Keepable> = {}): Keepable => ({
  answer: {
    status: 'found',
    records: [address],
    name: 'example.org',
    aliases: [],
    ttl: 60,
    sets: [],
    evidence: { milliseconds: 1 },
  },
  seconds: 60,
  octets: 50,
  ...more,
});

describe('the cache of responses (resolver.test.ts covers what a server sees of it)', () => {
  test.each([
    ['keeps the response to a later query instead of the one before', 1, 2, '192.0.2.2'],
    ['does not replace a newer response with a late response to an earlier query', 2, 1, '192.0.2.1'],
  ])('%s', (_title, first, second, expected) => {
    const cache = createDnsCache({ now: () => new Date(0) });
    cache.put('key', kept('192.0.2.1'), first);
    cache.put('key', kept('192.0.2.2'), second);
    expect(cache.get('key')).toMatchObject({ records: [expected] });
  });

  test('discards entries when the clock is set back', () => {
    let now = 100_000;
    const cache = createDnsCache({ now: () => new Date(now) });
    cache.put('key', kept('192.0.2.1'), now);
    now = 0;
    expect(cache.get('key')).toBeUndefined();
  });

  test('has room for 20,000 responses of 8 MB in all, an answer that is not kept included', () => {
    const cache = createDnsCache({ now: () => new Date(0) });
    const has = (...keys: unknown[]) => keys.map((key) => cache.get(String(key)) !== undefined);
    const put = (key: unknown, more: Partial<Keepable>) => cache.put(String(key), kept('192.0.2.1', more), 1);
    for (let key = 1; key <= 20_000; key += 1) put(key, { octets: 0 });
    put('none', { seconds: 0 });
    expect(has('none', 1)).toEqual([false, true]);
    put('more', { octets: 5_000_000 });
    put('more', { octets: 4_000_000 });
    expect(has(1, 2)).toEqual([false, true]);
    put('last', { octets: 4_000_000 });
    expect(has(2, 3, 'more', 'last')).toEqual([false, true, true, true]);
    put('one octet', { octets: 1 });
    expect(has(20_000, 'more', 'last', 'one octet')).toEqual([false, false, true, true]);
  });
});
