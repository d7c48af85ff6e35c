import { describe, expect, test } from '@jest/globals';
import { createDnsCache, type Keepable } from '../../../shared/network/dns-cache.ts';

const kept = (address: string): Keepable => ({
  answer: {
    status: 'found',
    records: [address],
    name: 'example.org',
    aliases: [],
    ttl: 60,
    authenticated: false,
    sets: [],
    evidence: { milliseconds: 1 },
  },
  seconds: 60,
  octets: 50,
});

describe('the cache of answers (what a server sees of it is in resolver.test.ts)', () => {
  test.each([
    ['an answer to a later question replaces the one before', 1, 2, '192.0.2.2'],
    ['a late answer to an earlier question does not replace a newer one', 2, 1, '192.0.2.1'],
  ])('%s', (_title, first, second, expected) => {
    const cache = createDnsCache({ now: () => new Date(0) });
    cache.put('key', kept('192.0.2.1'), first);
    cache.put('key', kept('192.0.2.2'), second);
    expect(cache.get('key')).toMatchObject({ records: [expected] });
  });

  test('a clock that was set back makes it forget', () => {
    let now = 100_000;
    const cache = createDnsCache({ now: () => new Date(now) });
    cache.put('key', kept('192.0.2.1'), now);
    now = 0;
    expect(cache.get('key')).toBeUndefined();
  });
});
