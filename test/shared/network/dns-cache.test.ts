import { describe, expect, test } from '@jest/globals';
import { createDnsCache, type Keepable } from '../../../shared/network/dns-cache.ts';

const kept = (address: string): Keepable => ({
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
});
