/** What one check run of a hostile zone sends, over real DNS, SMTP and HTTPS, with and without its limits. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import {
  limitNetwork,
  limitQueries,
  PREVIEW_LIMITS,
  RUN_LIMITS,
} from '../../../shared/checks/limit-network.ts';
import { differenceOf, placedFindings } from '../../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../../shared/checks/preview/preview.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import type { AuthorityAnswer, Network } from '../../../shared/network/ports.ts';
import type { Dns, RecordSet } from '../../../shared/protocol/dns.ts';
import { isFailedLookup } from '../../../shared/protocol/findings/catalogue.ts';
import { fakeSmtp, withoutTls } from '../../kit/fake-smtp.ts';
import { HOSTILE, type HostileHosts, startHostileHosts } from '../../kit/hostile-zone.ts';
import { use } from '../../kit/use.ts';
import { fakeWeb } from '../../kit/web.ts';
import { zone } from '../../kit/zone.ts';
import { faultyZones, zoneOf } from '../fixes/faulty-zones.ts';
import {
  anchorOf,
  clock,
  delegation,
  makeKey,
  rdata,
  signed,
  world as signedZones,
  type TestKey,
  unsigned,
  zoneSets,
} from '../protocol/dnssec/signed-world.ts';

let hosts: HostileHosts;

beforeEach(async () => {
  hosts = await use(startHostileHosts());
});

const checked = (domain: string) => ({ domain, testEmailLocalPart: null, knownSelectors: [] });
const inspect = (network: Network) => inspectDomain(checked(HOSTILE), { network, trustAnchors: [] });
const anyone = async () => true;

describe('a check run of a hostile zone', () => {
  test('sends what its limits allow, and reports the rest as not checked', async () => {
    const unlimited = await inspect(hosts.network());
    const before = hosts.sent();
    expect(before.queries).toBe(RUN_LIMITS.queries);
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
  const checkContext = {
    network: limitNetwork(hosts.network(), anyone, PREVIEW_LIMITS),
    trustAnchors: [],
  };
  expect((await previewChecks(checked(HOSTILE), [set], checkContext)).ok).toBe(true);
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
    smtp: fakeSmtp(async ({ address, mayContact }) => {
      if (await mayContact?.(address)) sent.smtp += 1;
      else sent.refused += 1;
      return withoutTls;
    }),
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

describe('the queries of every check run', () => {
  test('of a domain that somebody proved to be theirs are limited as well', async () => {
    const results = await inspect(hosts.network());
    expect(hosts.sent().queries).toBe(RUN_LIMITS.queries);
    expect(placedFindings(results).some(isFailedLookup)).toBe(true);
  });

  test('are enough for a signed domain with ten hosts in ten zones, every lookup of SPF and twenty selectors', async () => {
    const dns = largeDomain();
    const { sent, network } = counting(dns);
    const ask = async (): Promise<AuthorityAnswer<never>> => {
      sent.queries += 1;
      return { status: 'absent' };
    };
    const { mx, spf, dnssec } = await inspectDomain(
      { ...checked('example.org'), knownSelectors: Array.from({ length: 20 }, (_, at) => `key${at}`) },
      { network: { ...network, clock, authorities: { ask } }, trustAnchors: [anchorOf(root)] },
    );
    expect([mx.hosts.length, spf.totalLookupCount, dnssec.state]).toEqual([10, 10, 'pass']);
    const failed = [mx, spf, dnssec].flatMap(({ findings }) => findings.filter(isFailedLookup));
    expect(failed).toEqual([]);
    expect(sent.queries).toBeGreaterThan(RUN_LIMITS.queries / 2);
    expect(sent.queries).toBeLessThan(RUN_LIMITS.queries - 40);
  });

  test('and the verifications of a zone that is made to be costly end, without a long pause for others', async () => {
    const { sent, network } = counting(costlyDomain());
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const start = process.threadCpuUsage();
    const { mx, dnssec } = await inspectDomain(checked('example.org'), {
      network: { ...network, clock },
      trustAnchors: [anchorOf(root)],
    });
    const { user } = process.threadCpuUsage(start);
    clearInterval(timer);
    expect(sent.queries).toBe(RUN_LIMITS.queries);
    const findings = [...mx.findings, ...dnssec.findings];
    expect(findings.some(isFailedLookup)).toBe(true);
    const errors = findings.filter(({ severity }) => severity === 'error');
    expect(new Set(errors.map(({ id }) => id))).toEqual(new Set(['mx-alias']));
    // Milliseconds of computing: a turn, and what the other checks do.
    expect(user / 1000 / turns).toBeLessThan(100);
  });

  test.each(Array.from({ length: 20 }, (_, at) => at * 6))(
    'end after %d, and nothing is reported as missing',
    async (queries) => {
      const { network } = counting(zone(zoneOf('example.org', { fault: 'none' })));
      const inspectWith = (limited: Network) =>
        inspectDomain(checked('example.org'), { network: limited, trustAnchors: [] });
      const all = await inspectWith(network);
      const { introduced } = differenceOf(all, await inspectWith(limitQueries(network, queries)));
      expect(introduced.filter((finding) => !isFailedLookup(finding))).toEqual([]);
    },
  );
});

const root = makeKey('');

/** A signed domain whose ten mail hosts, which its SPF record names as well, are in ten signed zones. */
function largeDomain(): Dns {
  const parents = ['org', 'net'].map((name) => makeKey(name));
  const [org = root, net = root] = parents;
  const own = makeKey('example.org');
  const providers = Array.from({ length: 10 }, (_, at) => makeKey(`provider${at}.net`));
  const text = (name: string, value: string) => ({ name, type: 'TXT', rdata: [rdata.TXT(value)] });
  const includes = providers.slice(1).map(({ zone }) => `include:${zone}`);
  return signedZones([
    ...[root, ...parents, own, ...providers].flatMap(zoneSets),
    ...parents.map((key) => delegation(key, root)),
    ...providers.map((key) => delegation(key, net)),
    delegation(own, org),
    ...[
      { name: 'example.org', type: 'MX', rdata: providers.map((it, at) => rdata.MX(at, `mx.${it.zone}`)) },
      { name: 'example.org', type: 'NS', rdata: providers.slice(2).map((it) => rdata.name(`ns.${it.zone}`)) },
      text('example.org', `v=spf1 mx ${includes.join(' ')} -all`),
      text('_dmarc.example.org', 'v=DMARC1; p=reject; rua=mailto:a@provider0.net,mailto:a@provider1.net'),
      text('_mta-sts.example.org', 'v=STSv1; id=1'),
      text('_smtp._tls.example.org', 'v=TLSRPTv1; rua=mailto:a@provider0.net'),
    ].map((set) => signed(set, own)),
    ...providers.flatMap((key) => [
      signed({ name: `mx.${key.zone}`, type: 'A', rdata: [rdata.A('192.0.2.1')] }, key),
      signed(text(key.zone, 'v=spf1 ip4:192.0.2.0/24 -all'), key),
    ]),
  ]);
}

/** A domain with ten mail hosts behind eleven aliases each, in zones ten deep whose sets have seven wrong signatures. */
function costlyDomain(): Dns {
  const wrong = (set: RecordSet, key: TestKey) => {
    const [valid] = signed({ ...set, signatures: [] }, key).signatures;
    if (valid === undefined) throw new Error('not signed');
    const signatures = Array.from({ length: 7 }, (_, at) => ({
      ...valid,
      signature: Buffer.alloc(96, at + 1),
    }));
    return signed({ ...set, signatures }, key);
  };
  const own = makeKey('org', 14);
  const zones = Array.from({ length: 10 }, (_, host) => {
    const keys = [own];
    for (let depth = 0; depth < 10; depth += 1)
      keys.push(makeKey(`z${host}-${depth}.${keys.at(-1)?.zone}`, 14));
    return keys;
  });
  const domain = makeKey('example.org', 14);
  const keys = [domain, ...zones.flatMap((line) => line.slice(1))];
  const parentOf = ({ zone: name }: TestKey) =>
    [own, ...keys].find((key) => key.zone === name.slice(name.indexOf('.') + 1)) ?? root;
  const hostSets = zones.flatMap((line) => {
    const last = line.at(-1) ?? own;
    const names = Array.from({ length: 12 }, (_, at) => ({
      name: `a${at}.${(line[Math.max(1, 10 - at)] ?? last).zone}`,
      key: line[Math.max(1, 10 - at)] ?? last,
    }));
    return names.map(({ name, key }, at) => {
      const target = names[at + 1];
      return target === undefined
        ? wrong(unsigned({ name, type: 'A', rdata: [rdata.A('192.0.2.1')] }), key)
        : wrong(unsigned({ name, type: 'CNAME', rdata: [rdata.name(target.name)] }), key);
    });
  });
  const hosts = zones.map((line, at) => rdata.MX(at, `a0.${line.at(-1)?.zone}`));
  return signedZones([
    ...zoneSets(root),
    ...zoneSets(own),
    delegation(own, root),
    ...keys.flatMap((key) => [
      ...zoneSets(key).map((set) => wrong(set, key)),
      wrong(delegation(key, parentOf(key)), parentOf(key)),
    ]),
    signed({ name: 'example.org', type: 'MX', rdata: hosts }, domain),
    ...hostSets,
  ]);
}
