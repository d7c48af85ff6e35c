import { expect, test } from '@jest/globals';
import { countLookups } from '../../../shared/network/count-lookups.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';

test('counts lookups and cache hits', async () => {
  const known = new Set<string>();
  const real: Dns = {
    async lookup(name) {
      const fromCache = known.has(name);
      known.add(name);
      return { status: 'unavailable', reason: 'timeout', evidence: { milliseconds: 1, fromCache } };
    },
  };
  const { dns, counts } = countLookups(real);
  expect(counts()).toEqual({ dnsLookups: 0, dnsCacheHits: 0 });
  for (const name of ['a.test', 'b.test', 'a.test']) await dns.lookup(name, 'MX');
  expect(counts()).toEqual({ dnsLookups: 3, dnsCacheHits: 1 });
});
