import { expect, test } from '@jest/globals';
import { checkSpf } from '../../../../shared/operations/spf-checker/check-spf.ts';
import type { Dns } from '../../../../shared/protocol/dns.ts';
import { done } from '../../../kit/operations.ts';
import { zone } from '../../../kit/zone.ts';

test('the record of the domain itself is looked up anew, and what it leads to is not', async () => {
  const published = zone({
    'example.org': { TXT: ['v=spf1 a include:spf.example.net -all'], A: ['192.0.2.1'] },
    'spf.example.net': { TXT: ['v=spf1 ip4:192.0.2.2 -all'] },
  });
  const lookups: string[] = [];
  const dns: Dns = {
    lookup(name, type, options) {
      lookups.push(`${name} ${type}${options?.fresh === true ? ' anew' : ''}`);
      return published.lookup(name, type, options);
    },
  };
  const clock = { now: () => new Date('2026-03-01T06:00:00Z') };
  const limits = { consume: async () => ({ allowed: true }) as const };
  const { checkedAt, expansion } = done(await checkSpf({ domain: 'example.org' }, { dns, clock, limits }));
  expect([checkedAt, expansion.findings]).toEqual(['2026-03-01T06:00:00.000Z', []]);
  expect(new Set(lookups)).toEqual(
    new Set(['example.org TXT anew', 'example.org A', 'example.org AAAA', 'spf.example.net TXT']),
  );
});
