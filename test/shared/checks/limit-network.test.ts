/** What one check run of a hostile zone sends, over real DNS, SMTP and HTTPS, with and without its limits. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import { limitNetwork, PREVIEW_LIMITS, RUN_LIMITS } from '../../../shared/checks/limit-network.ts';
import { differenceOf } from '../../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../../shared/checks/preview/preview.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import type { Network } from '../../../shared/network/ports.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { isFailedLookup } from '../../../shared/protocol/findings/catalogue.ts';
import { HOSTILE, type HostileHosts, startHostileHosts } from '../../kit/hostile-zone.ts';
import { fakeWeb } from '../../kit/web.ts';
import { zone } from '../../kit/zone.ts';
import { faultyZones, zoneOf } from '../fixes/faulty-zones.ts';

let hosts: HostileHosts;

beforeEach(async () => {
  hosts = await startHostileHosts();
});
afterEach(() => hosts.stop());

const checked = (domain: string) => ({ domain, testEmailLocalPart: null, knownSelectors: [] });
const inspect = (network: Network) => inspectDomain(checked(HOSTILE), { network, trustAnchors: [] });
const anyone = async () => true;

describe('a check run of a hostile zone', () => {
  test('sends what its limits allow, and reports the rest as not checked', async () => {
    const unlimited = await inspect(hosts.network());
    const before = hosts.sent();
    expect(before.queries).toBeGreaterThan(1.5 * RUN_LIMITS.queries);
    expect(before.connections).toBeGreaterThan(2 * RUN_LIMITS.smtpConnections);
    expect(before.requests).toBeGreaterThan(1.5 * RUN_LIMITS.httpsRequests);

    const limited = await inspect(limitNetwork(hosts.network(), anyone));
    const sent = hosts.sent();
    expect([
      sent.queries - before.queries,
      sent.connections - before.connections,
      sent.requests - before.requests,
    ]).toEqual([RUN_LIMITS.queries, RUN_LIMITS.smtpConnections, RUN_LIMITS.httpsRequests]);
    const { introduced } = differenceOf(unlimited, limited);
    expect(introduced.length).toBeGreaterThan(0);
    expect(introduced.filter((finding) => !isFailedLookup(finding))).toEqual([]);
  });

  test('makes no lookup twice', async () => {
    const limited = limitNetwork(hosts.network(), anyone);
    for (let time = 0; time < 3; time += 1) await limited.dns.lookup(HOSTILE, 'A');
    expect(hosts.sent().queries).toBe(1);
  });

  test('contacts no address that other runs have contacted too often', async () => {
    const asked = new Set<string>();
    const limited = limitNetwork(hosts.network(), async (kind) => {
      asked.add(kind);
      return false;
    });
    const { mx, bimi } = await inspect(limited);
    expect(hosts.sent()).toMatchObject({ connections: 0, requests: 0 });
    expect([...asked].toSorted()).toEqual(['dns', 'https', 'smtp']);
    expect([mx.state, bimi.state]).toEqual(['unknown', 'unknown']);
  });
});

test('a preview of a hostile zone sends as much as one check run, and requests twice', async () => {
  const set = { name: HOSTILE, type: 'A', ttl: 60, values: ['198.18.0.1'] } as const;
  const inspector = {
    network: limitNetwork(hosts.network(), anyone, PREVIEW_LIMITS),
    trustAnchors: [],
  };
  expect((await previewChecks(checked(HOSTILE), [set], inspector)).ok).toBe(true);
  expect(hosts.sent()).toEqual({
    queries: RUN_LIMITS.queries,
    connections: RUN_LIMITS.smtpConnections,
    requests: 2 * RUN_LIMITS.httpsRequests,
  });
});

/** A network that counts what a limited run sends, and its queries. */
function counting(dns: Dns, web = fakeWeb({})) {
  const sent = { queries: 0, smtp: 0, https: 0, refused: 0 };
  const network: Network = {
    dns: {
      lookup(...question) {
        sent.queries += 1;
        return dns.lookup(...question);
      },
    },
    web: {
      async get(request) {
        if (request.mayRequest?.()) sent.https += 1;
        else sent.refused += 1;
        return web.get(request);
      },
    },
    smtp: {
      async probe({ hostname, address, mayContact }) {
        if (await mayContact?.(address)) sent.smtp += 1;
        else sent.refused += 1;
        const evidence = { hostname, address, milliseconds: 0 };
        return { status: 'found', starttls: { status: 'not-offered' }, recipient: 'not-asked', evidence };
      },
    },
    clock: systemClock,
  };
  return { sent, network };
}

describe('an ordinary domain', () => {
  test.each(faultyZones.map((faulty) => [faulty.fault, faulty] as const))(
    'stays below half of the limits: %s',
    async (_, faulty) => {
      const { sent, network } = counting(zone(zoneOf('example.org', faulty)));
      await inspectDomain(checked('example.org'), {
        network: limitNetwork(network, anyone),
        trustAnchors: [],
      });
      expect(sent.queries).toBeLessThan(RUN_LIMITS.queries / 2);
      expect(sent.smtp).toBeLessThanOrEqual(RUN_LIMITS.smtpConnections / 2);
      expect(sent.https).toBeLessThanOrEqual(3);
      expect(sent.refused).toBe(0);
    },
  );

  test('at a large provider, with every lookup of SPF, stays within the limits', async () => {
    const hosts = ['aspmx', 'alt1.aspmx', 'alt2.aspmx', 'alt3.aspmx', 'alt4.aspmx'].map(
      (it) => `${it}.mail.example`,
    );
    const included = Array.from({ length: 9 }, (_, at) => `_spf${at}.mail.example`);
    const { sent, network } = counting(
      zone({
        'example.org': {
          MX: hosts.map((host, at) => [at, host] as const),
          NS: ['ns1.dns.example', 'ns2.dns.example', 'ns3.dns.example', 'ns4.dns.example'],
          TXT: [`v=spf1 ${included.map((name) => `include:${name}`).join(' ')} mx -all`],
        },
        ...Object.fromEntries(
          hosts.map((host, at) => [host, { A: [`192.0.2.${at}`], AAAA: [`2001:db8:${at}::1`] }]),
        ),
        ...Object.fromEntries(included.map((name) => [name, { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] }])),
        '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject; rua=mailto:a@r.example,mailto:b@s.example'] },
        '_mta-sts.example.org': { TXT: ['v=STSv1; id=1'] },
        'default._bimi.example.org': {
          TXT: ['v=BIMI1; l=https://example.org/l.svg; a=https://example.org/a.pem'],
        },
      }),
    );
    const { mx } = await inspectDomain(checked('example.org'), {
      network: limitNetwork(network, anyone),
      trustAnchors: [],
    });
    expect(mx.hosts.length).toBe(10);
    expect(sent).toMatchObject({ smtp: 10, https: 3, refused: 0 });
    expect(sent.queries).toBeLessThan(RUN_LIMITS.queries / 2);
  });
});
