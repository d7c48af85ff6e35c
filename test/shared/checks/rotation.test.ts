/**
 * Resolvers rotate the records of a set from response to response (RFC 2181 section 5), which must not affect any
 * check.
 */
import { describe, expect, test } from '@jest/globals';
import { factsOf } from '../../../shared/alerts/facts.ts';
import { type MonitorState, nextMonitorState } from '../../../shared/alerts/monitor-state.ts';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { createResolver } from '../../../shared/network/resolver.ts';
import { startDnsServer } from '../../kit/dns-server.ts';
import { fakeSmtp } from '../../kit/fake-smtp.ts';
import { use } from '../../kit/use.ts';
import { fakeWeb } from '../../kit/web.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';

const digest = (octet: number) => Buffer.alloc(32, octet);
const tlsa = (octet: number) => ({ usage: 3, selector: 1, matchingType: 1, certificate: digest(octet) });
const soa = { mname: 'ns1.example.org', rname: 'admin.example.org', serial: 1, minimum: 60 };
const addresses = (end: number) => ({
  A: [`198.51.100.${end}`, `192.0.2.${end}`, `203.0.113.${end}`],
  AAAA: [`2001:db8:2::${end}`, `2001:db8:1::${end}`, `2001:db8:3::${end}`],
});

/** Two domains with several records in every set: one with several where only one is allowed, one without. */
const world: ZoneLiteral = {
  'example.org': {
    SOA: [soa],
    NS: ['ns1.example.org', 'ns2.example.org'],
    MX: Array.from({ length: 12 }, (_, index) => [10, `mx${index}.example.org`] as const),
    TXT: ['v=spf1 ip4:192.0.2.1 ~all', 'v=spf1 -all', 'site-verification=1'],
    DS: [1, 2].map((keyTag) => ({ keyTag, algorithm: 13, digestType: 2, digest: digest(keyTag) })),
    DNSKEY: [256, 257].map((flags) => ({ flags, algorithm: 13, key: Buffer.alloc(64, flags) })),
  },
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`mx${index}.example.org`, addresses(index + 1)]),
  ),
  '_25._tcp.mx0.example.org': { TLSA: [tlsa(2), tlsa(1)] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject', 'v=DMARC1; p=none', 'v=dmarc1;', '"v=DMARC1"'] },
  '_mta-sts.example.org': { TXT: ['v=STSv1; id=b', 'v=STSv1; id=a', 'v=STSv1; id=c'] },
  '_smtp._tls.example.org': { TXT: ['v=TLSRPTv1; rua=mailto:b@example.org', 'v=TLSRPTv1; rua=mailto:a@x'] },
  'default._bimi.example.org': { TXT: ['v=BIMI1; l=https://example.org/b.svg', 'v=BIMI1; l=;'] },
  'google._domainkey.example.org': { TXT: ['v=DKIM1; p=', 'v=DKIM1; k=ed25519; p=AAAA', 'k=rsa'] },
  'example.net': {
    SOA: [soa],
    MX: [
      [20, 'mx1.example.net'],
      [10, 'mx3.example.net'],
      [10, 'mx2.example.net'],
    ],
    TXT: ['site-verification=1', 'v=spf1 mx a:mx1.example.net include:example.org -all', 'another=1'],
  },
  'mx1.example.net': addresses(1),
  'mx2.example.net': addresses(2),
  '_dmarc.example.net': { TXT: ['other=1', 'v=DMARC1; p=none; rua=mailto:a@example.org'] },
  '_mta-sts.example.net': { TXT: ['v=STSv1 id=b', 'V=STSv1; id=a'] },
  '_smtp._tls.example.net': { TXT: ['v=TLSRPTv2; rua=mailto:b@example.org', 'v=TLSRPTv1 rua=mailto:a'] },
  'default._bimi.example.net': { TXT: ['v=bimi1; l=https://example.org/b.svg', '"v=BIMI1; l=;"'] },
};
const domains = ['example.org', 'example.net'];

/** More than the number of records in any set above, so that every rotation of a set occurs. */
const turns = [0, 1, 2, 3, 7, 11];

function turned(by: number): ZoneLiteral {
  const turn = (set: readonly unknown[]) => [...set.slice(by % set.length), ...set.slice(0, by % set.length)];
  const nodes = Object.entries(world).map(([name, node]) => [
    name,
    Object.fromEntries(Object.entries(node).map(([type, set]) => [type, turn(set)])),
  ]);
  return Object.fromEntries(nodes);
}

const now = new Date('2026-06-01T12:00:00Z');

async function inspectTurned(by: number): Promise<Readonly<Record<string, CheckResults>>> {
  const server = await use(startDnsServer(turned(by), { negativeTtl: 60 }));
  const clock = { now: () => now };
  const dns = createResolver({ servers: [server], clock });
  const network = { dns, web: fakeWeb({}), smtp: fakeSmtp(), clock };
  const inspected = domains.map(async (domain) => {
    const what = { domain, testEmailLocalPart: null, knownSelectors: [] };
    return [domain, await inspectDomain(what, { network, trustAnchors: [] })] as const;
  });
  return Object.fromEntries(await Promise.all(inspected));
}

const inspections: Readonly<Record<string, CheckResults>>[] = [];
for (const by of turns) inspections.push(await inspectTurned(by));

describe.each(domains)('%s with rotated record sets', (domain) => {
  test('has the same results each time', () => {
    const [first, ...others] = inspections.map((inspection) => inspection[domain]);
    expect(first?.mx.records.length).toBeGreaterThan(1);
    for (const other of others) expect(other).toEqual(first);
  });

  test('raises no alert', () => {
    let state: MonitorState | undefined;
    for (const [index, inspection] of [...inspections, ...inspections].entries()) {
      const facts = factsOf(inspection[domain] as CheckResults, 'sends-and-receives');
      const step = nextMonitorState(state, facts, {
        domain,
        now: new Date(now.getTime() + index * 60_000),
        threshold: 70,
        confirmAfterMilliseconds: 60_000,
      });
      expect(step).toMatchObject({ alerts: [], needsConfirmation: false });
      state = step.state;
    }
  });
});

test('several records of a name are all reported, and always the same one is shown', () => {
  expect(inspections[0]?.['example.org']).toMatchObject({
    spf: { record: 'v=spf1 -all', records: ['v=spf1 -all', 'v=spf1 ip4:192.0.2.1 ~all'] },
    dmarc: { record: 'v=DMARC1; p=none', records: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
    mtaSts: { dnsRecord: 'v=STSv1; id=a', records: { length: 3 } },
    tlsRpt: { record: 'v=TLSRPTv1; rua=mailto:a@x', records: { length: 2 } },
    bimi: { record: 'v=BIMI1; l=;', records: { length: 2 } },
    dkim: { selectors: [{ record: 'v=DKIM1; p=', records: { length: 3 } }] },
  });
});
