/** Check runs that see what was published a moment ago. */
import { expect, test } from '@jest/globals';
import { freshFor } from '../../../shared/checks/fresh-lookups.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import { createResolver } from '../../../shared/network/resolver.ts';
import { startDnsServer } from '../../kit/dns-server.ts';
import { use } from '../../kit/use.ts';

const records = { '_dmarc.example.org': ['v=DMARC1; p=none'], 'spf.example.net': ['v=spf1 -all'] };
const zone = Object.entries(records).map(([name, TXT]) => [name, { TXT }]);
const server = await use(startDnsServer(Object.fromEntries(zone), { ttl: 3600 }));

test('look up each name of the organization anew, and no other one', async () => {
  const { address, port } = server;
  const dns = createResolver({ servers: [{ address, port }], clock: systemClock });
  const run = freshFor({ dns }, 'mail.example.org').dns;
  const names = ['_dmarc.example.org', 'spf.example.net', '_dmarc.mail.example.org'];
  for (const name of names) await dns.lookup(name, 'TXT');
  for (const name of names) await run.lookup(name, 'TXT');
  const asked = (name: string) => server.queries.filter((query) => query.includes(` ${name} `)).length;
  expect(names.map(asked)).toEqual([2, 1, 2]);
  // What was found is what later lookups see.
  await dns.lookup('_dmarc.example.org', 'TXT');
  expect(asked('_dmarc.example.org')).toBe(2);
});
