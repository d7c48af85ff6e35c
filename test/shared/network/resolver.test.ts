import { describe, expect, test } from '@jest/globals';
import { decode, encode, type Packet } from 'dns-packet';
import { dnsWithDeadline } from '../../../shared/network/deadline.ts';
import { createResolver, type ResolverOptions, systemServers } from '../../../shared/network/resolver.ts';
import type { Answer, RecordType } from '../../../shared/protocol/dns.ts';
import {
  type Behaviour,
  type DnsServer,
  type DnsServerOptions,
  type Forger,
  startDnsServer,
} from '../../kit/dns-server.ts';
import { until } from '../../kit/until.ts';
import { use } from '../../kit/use.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';

async function serve(literal: ZoneLiteral, options: DnsServerOptions = {}): Promise<DnsServer> {
  return use(startDnsServer(literal, { negativeTtl: 60, ...options }));
}

let now = Date.UTC(2026, 10, 1);
const clock = { now: () => new Date(now) };

function resolver(servers: DnsServer | readonly DnsServer[], options: Partial<ResolverOptions> = {}) {
  const list = Array.isArray(servers) ? servers : [servers];
  return createResolver({
    servers: list,
    clock,
    // Long enough to prevent retries on a machine that stalls.
    retryMilliseconds: 3000,
    lookupMilliseconds: 30_000,
    ...options,
  });
}

const world: ZoneLiteral = {
  '.': { NS: ['a.root.test'] },
  'example.org': {
    A: ['192.0.2.1', '192.0.2.2'],
    MX: [
      [20, 'MX2.example.org'],
      [10, 'mx.example.org'],
    ],
    TXT: [['v=spf1 ', '-all'], 'zwei\u00fc'],
    NS: ['ns.example.org'],
  },
  'null.example.org': { MX: [[0, '.']] },
  'big.example.org': {
    TXT: ['x', 'y', 'z', 'a', 'b', 'c'].map((one) => one.repeat(250)),
  },
  '1.2.0.192.in-addr.arpa': { PTR: ['host.example.org'] },
  'alias.example.org': { CNAME: ['second.example.org'] },
  'second.example.org': { CNAME: ['EXAMPLE.org'] },
  'dangling.example.org': { CNAME: ['nothing.example.org'] },
  'loop.example.org': { CNAME: ['loop2.example.org'] },
  'loop2.example.org': { CNAME: ['loop.example.org'] },
  'self.example.org': { CNAME: ['self.example.org'] },
  'servfail.example.org': 'SERVFAIL',
  'refused.example.org': 'REFUSED',
  'timeout.example.org': 'TIMEOUT',
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`chain${i}.example.org`, { CNAME: [`chain${i + 1}.example.org`] }]),
  ),
};

describe('responses of a server', () => {
  /** The records of an answer and their name, or why there are none, and the aliases that led to it. */
  function shown(answer: Answer<string | object>): string {
    if (answer.status === 'unavailable') return `unavailable: ${answer.reason}`;
    const { aliases, evidence } = answer;
    const by = aliases.length === 0 ? '' : `, by ${aliases.join(' ')}`;
    if (answer.status === 'absent') return `absent: ${answer.reason} ${evidence.rcode ?? 'not asked'}${by}`;
    const records = answer.records.map((one) =>
      typeof one === 'string' ? one : Object.values(one).join(' '),
    );
    return `${records.join(', ')} at ${answer.name}${by}`;
  }

  test.each<[string, string, RecordType, string]>([
    ['A', 'example.org', 'A', '192.0.2.1, 192.0.2.2 at example.org'],
    [
      'MX, sorted by preference',
      'Example.ORG.',
      'MX',
      '10 mx.example.org, 20 mx2.example.org at example.org',
    ],
    ['a null MX has the empty exchange', 'null.example.org', 'MX', '0  at null.example.org'],
    [
      'TXT strings are joined without a separator and read as UTF-8',
      'example.org',
      'TXT',
      'zwei\u00fc, v=spf1 -all at example.org',
    ],
    ['NS of the root', '.', 'NS', 'a.root.test at '],
    ['PTR', '1.2.0.192.in-addr.arpa', 'PTR', 'host.example.org at 1.2.0.192.in-addr.arpa'],
    ['CNAME if requested', 'alias.example.org', 'CNAME', 'second.example.org at alias.example.org'],
    [
      'a CNAME chain is followed inside the response',
      'alias.example.org',
      'A',
      '192.0.2.1, 192.0.2.2 at example.org, by alias.example.org second.example.org',
    ],
    [
      'a CNAME chain to a missing name is no-name',
      'dangling.example.org',
      'A',
      'absent: no-name NXDOMAIN, by dangling.example.org',
    ],
    ['NXDOMAIN is no-name', 'other.example.org', 'A', 'absent: no-name NXDOMAIN'],
    ['an empty response is no-data', 'null.example.org', 'A', 'absent: no-data NOERROR'],
    ['SERVFAIL is unavailable', 'servfail.example.org', 'A', 'unavailable: server-failure'],
    ['REFUSED is unavailable', 'refused.example.org', 'A', 'unavailable: refused'],
    ['a loop of two CNAMEs is malformed', 'loop.example.org', 'A', 'unavailable: malformed'],
    ['a CNAME to itself is malformed', 'self.example.org', 'A', 'unavailable: malformed'],
    ['an endless CNAME chain is malformed', 'chain0.example.org', 'A', 'unavailable: malformed'],
    ['a name with an empty label cannot exist', 'a..example.org', 'A', 'absent: invalid-name not asked'],
    ['nor one with a label of 64 octets', `${'a'.repeat(64)}.org`, 'A', 'absent: invalid-name not asked'],
    ['unusual octets can be queried', 'a b\\000\u{1f600}.example.org', 'A', 'absent: no-name NXDOMAIN'],
  ])('%s', async (_title, name, type, expected) => {
    const server = await serve(world);
    expect(shown(await resolver(server).lookup(name, type))).toBe(expected);
  });

  test('a response with only the first CNAME causes a query for its target', async () => {
    const server = await serve(world, {
      behaviours: { 'alias.example.org': { minimal: true }, 'second.example.org': { minimal: true } },
    });
    expect(await resolver(server).lookup('alias.example.org', 'A')).toMatchObject({
      status: 'found',
      name: 'example.org',
      aliases: ['alias.example.org', 'second.example.org'],
    });
    expect(server.queries).toEqual([
      'udp alias.example.org A',
      'udp second.example.org A',
      'udp example.org A',
    ]);
  });

  test('the evidence names the server, the response code and the extended DNS error', async () => {
    const server = await serve(world, { extendedErrors: [{ code: 6, text: 'no DNSKEY matches' }] });
    const { evidence } = await resolver(server).lookup('servfail.example.org', 'A');
    expect(evidence).toMatchObject({
      server: `127.0.0.1:${server.port}`,
      rcode: 'SERVFAIL',
      extendedError: 'DNSSEC Bogus: "no DNSKEY matches"',
    });
  });

  test('of several failures, the one that is explained is returned', async () => {
    const silent = await serve(world);
    const explains = await serve(world, { extendedErrors: [{ code: 6, text: '' }] });
    const dns = resolver([silent, explains]);
    const { evidence } = await dns.lookup('servfail.example.org', 'A');
    expect(evidence).toMatchObject({ extendedError: 'DNSSEC Bogus', server: `127.0.0.1:${explains.port}` });
  });

  test('an IPv6 server works too', async () => {
    const server = await serve(world, { host: '::1' });
    const answer = await resolver(server).lookup('example.org', 'A');
    expect(answer).toMatchObject({ status: 'found', evidence: { server: `[::1]:${server.port}` } });
  });
});

describe('the queries sent', () => {
  test.each([
    [{}, 'rd'],
    [{ dnssec: true }, 'rd do'],
    [{ checkingDisabled: true }, 'rd cd'],
  ])('have the flags of a question with %j: %s, and room for 1,232 octets', async (options, expected) => {
    const seen: unknown[] = [];
    const forge = (query: Buffer) => {
      const { additionals: [opt] = [], ...packet } = decode(query);
      const all = { ...packet, ...opt } as Readonly<Record<string, unknown>>;
      const flags = ['rd', 'ad', 'cd', 'do'].filter((name) => all[`flag_${name}`] === true);
      seen.push(flags.join(' '), all.udpPayloadSize);
      return [reply(query, 0)];
    };
    const server = await serve({}, { behaviours: { 'example.org': { forge } } });
    await resolver(server).lookup('example.org', 'A', options);
    expect(seen).toEqual([expected, 1232]);
  });

  test('use different ids and ports', async () => {
    const ids = new Set<number>();
    const ports = new Set<number>();
    const forge: Forger = (query, _transport, port) => {
      ids.add(query.readUInt16BE(0));
      ports.add(port);
      return [reply(query, 0)];
    };
    const server = await serve({}, { behaviours: { 'example.org': { forge } } });
    const dns = resolver(server);
    await Promise.all(Array.from({ length: 12 }, () => dns.lookup('example.org', 'A', { fresh: true })));
    // Random values, of which two of twelve are rarely the same.
    expect(ids.size).toBeGreaterThan(10);
    expect(ports.size).toBeGreaterThan(10);
  });
});

describe('several servers', () => {
  test.each<[string, Behaviour | 'SERVFAIL' | 'REFUSED']>([
    ['does not respond', { drop: true }],
    ['responds with SERVFAIL', 'SERVFAIL'],
    ['responds with REFUSED', 'REFUSED'],
    [
      'sends an unreadable response',
      { forge: (query) => [Buffer.concat([reply(query, 1), Buffer.from('nonsense')])] },
    ],
    [
      'truncates its response and closes TCP',
      { forge: (query, transport) => (transport === 'udp' ? [truncated(query)] : [Buffer.from('x')]) },
    ],
  ])('the next one is queried if the first %s', async (_title, behaviour) => {
    const bad =
      typeof behaviour === 'string'
        ? await serve({ 'example.org': behaviour })
        : await serve({}, { behaviours: { 'example.org': behaviour } });
    const good = await serve(world);
    const dns = resolver([bad, good], { retryMilliseconds: 250 });
    expect(await dns.lookup('example.org', 'A')).toMatchObject({
      status: 'found',
      evidence: { server: `127.0.0.1:${good.port}` },
    });
  });

  test('the next one is queried if nothing listens at the first', async () => {
    const gone = await startDnsServer({});
    await gone.stop();
    const good = await serve(world);
    expect(await resolver([gone, good]).lookup('example.org', 'A')).toMatchObject({ status: 'found' });
  });

  test('a lost packet is sent again to the same server', async () => {
    const server = await serve(world, { behaviours: { 'example.org': { drop: 2 } } });
    const asking = resolver(server, { retryMilliseconds: 250 }).lookup('example.org', 'A');
    expect(await asking).toMatchObject({ status: 'found' });
    expect(server.queries.length).toBeGreaterThanOrEqual(3);
  });

  test('a slow response still counts after the query was repeated', async () => {
    const server = await serve(world, { behaviours: { 'example.org': { repliesOnceRepeated: true } } });
    const asking = resolver(server, { retryMilliseconds: 100 }).lookup('example.org', 'A');
    expect(await asking).toMatchObject({ status: 'found' });
    expect(server.queries.length).toBeGreaterThan(1);
  });

  test('the result is unreachable at once if nothing listens at any server', async () => {
    const gone = await startDnsServer({});
    await gone.stop();
    const started = performance.now();
    expect(await resolver(gone).lookup('example.org', 'A')).toMatchObject({
      status: 'unavailable',
      reason: 'unreachable',
    });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('an error response takes precedence over the timeout of another server', async () => {
    const failing = await serve(world);
    const silent = await serve({ 'servfail.example.org': 'TIMEOUT' });
    expect(
      await resolver([silent, failing], { retryMilliseconds: 250, lookupMilliseconds: 2000 }).lookup(
        'servfail.example.org',
        'A',
      ),
    ).toMatchObject({
      reason: 'server-failure',
    });
  });

  test('a timeout ends at the limit of the lookup', async () => {
    const server = await serve(world);
    const started = performance.now();
    expect(
      await resolver(server, { lookupMilliseconds: 600 }).lookup('timeout.example.org', 'A'),
    ).toMatchObject({ status: 'unavailable', reason: 'timeout' });
    expect(performance.now() - started).toBeGreaterThan(550);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('the result is unreachable without servers', async () => {
    expect(await resolver([]).lookup('example.org', 'A')).toMatchObject({
      status: 'unavailable',
      reason: 'unreachable',
    });
  });
});

/** A response to `query` that repeats its question and announces `answers` records. */
function reply(query: Buffer, answers: number, flags = 0x8180): Buffer {
  const question = query.subarray(0, query.length - 11);
  const bytes = Buffer.from(question);
  bytes.writeUInt16BE(flags, 2);
  bytes.writeUInt16BE(answers, 6);
  bytes.writeUInt16BE(0, 10);
  return bytes;
}

function truncated(query: Buffer): Buffer {
  return reply(query, 0, 0x8380);
}

function record(type: number, rdata: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(300, 4);
  head.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([Buffer.from([0xc0, 12]), head, rdata]);
}

const good = (query: Buffer) => Buffer.concat([reply(query, 1), record(1, Buffer.from([192, 0, 2, 9]))]);

describe('hostile responses', () => {
  const forged = (query: Buffer, change: (bytes: Buffer) => void) => {
    const bytes = Buffer.concat([reply(query, 1), record(1, Buffer.from([6, 6, 6, 6]))]);
    change(bytes);
    return bytes;
  };
  test.each<[string, (query: Buffer) => Buffer]>([
    [
      'with another id',
      (query) => forged(query, (bytes) => bytes.writeUInt16BE(bytes.readUInt16BE(0) ^ 1, 0)),
    ],
    ['that is garbage', () => Buffer.from('garbage')],
  ])('a packet %s is ignored, and the response after it is used', async (_title, forge) => {
    const server = await serve(
      {},
      { behaviours: { 'example.org': { forge: (query) => [forge(query), good(query)] } } },
    );
    expect(await resolver(server).lookup('example.org', 'A')).toMatchObject({
      status: 'found',
      records: ['192.0.2.9'],
    });
  });

  // dns-answer.test.ts and dns-messages.test.ts have those that are malformed.
  test('random changes to a valid response never cause exceptions or long processing', async () => {
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    const honest = (query: Buffer) =>
      encode({
        ...(decode(query) as Packet),
        type: 'response',
        answers: [
          { name: 'example.org', type: 'CNAME', ttl: 1, data: 'a.example.org' },
          { name: 'a.example.org', type: 'MX', ttl: 1, data: { preference: 1, exchange: 'mx.example.org' } },
        ],
      });
    const forge = (query: Buffer) => {
      const bytes = honest(query);
      for (let times = random(4) + 1; times > 0; times -= 1) {
        const at = query.length - 11 + random(bytes.length - query.length + 11);
        bytes.writeUInt8(random(256), at);
      }
      return [bytes];
    };
    const server = await serve({}, { behaviours: { 'example.org': { forge } } });
    const dns = resolver(server, { lookupMilliseconds: 100 });
    const seen = new Set<string>();
    for (let round = 0; round < 300; round += 1) {
      const answer = await dns.lookup('example.org', 'MX', { fresh: true, dnssec: true });
      seen.add(answer.status === 'unavailable' ? answer.reason : answer.status);
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining(['found', 'malformed']));
  });
});

describe('TCP after truncation', () => {
  test('the whole response is read from TCP', async () => {
    const server = await serve(world, { behaviours: { 'example.org': { truncate: true } } });
    expect(await resolver(server).lookup('example.org', 'A')).toMatchObject({ status: 'found' });
    expect(server.queries).toEqual(['udp example.org A', 'tcp example.org A']);
  });
  test.each<[string, () => readonly Uint8Array[], string]>([
    ['another message', () => [Buffer.alloc(40)], 'malformed'],
    ['nothing', () => [], 'timeout'],
  ])('a server that sends %s over TCP has failed', async (_title, overTcp, reason) => {
    const forge = (query: Buffer, transport: string) =>
      transport === 'udp' ? [truncated(query)] : overTcp();
    const server = await serve({}, { behaviours: { 'example.org': { forge } } });
    const dns = resolver(server, { lookupMilliseconds: 1000 });
    expect(await dns.lookup('example.org', 'A')).toMatchObject({ status: 'unavailable', reason });
  });
});

describe('sharing and caching', () => {
  test('concurrent equal queries are sent once', async () => {
    const server = await serve(world);
    const dns = resolver(server);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => dns.lookup(i % 2 ? 'example.org' : 'EXAMPLE.ORG.', 'A')),
    );
    expect(server.queries).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['found']));
  });

  test('a thousand concurrent queries are all answered', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `n${i}.example.org`);
    const server = await serve(Object.fromEntries(names.map((name) => [name, { A: ['192.0.2.1'] }])));
    const dns = resolver(server, { retryMilliseconds: 2000, lookupMilliseconds: 60_000 });
    const answers = await Promise.all(names.map((name) => dns.lookup(name, 'A')));
    expect(answers.filter(({ status }) => status === 'found')).toHaveLength(1000);
  });

  async function lookupAgain(name: string, options: DnsServerOptions, seconds: number, world2 = world) {
    const server = await serve(world2, options);
    const dns = resolver(server);
    await dns.lookup(name, 'A');
    now += seconds * 1000;
    const again = await dns.lookup(name, 'A');
    return { queries: server.queries.length, again };
  }

  test.each([
    ['a response is cached for its TTL', 'example.org', { ttl: 60 }, 59, 1],
    ['it then expires', 'example.org', { ttl: 60 }, 60, 2],
    ['a response is cached for five minutes at most', 'example.org', { ttl: 86400 }, 299, 1],
    ['regardless of a longer TTL', 'example.org', { ttl: 86400 }, 300, 2],
    ['a response with a TTL of zero is not cached', 'example.org', { ttl: 0 }, 0, 2],
    [
      '"no name" is cached for the SOA minimum (RFC 2308 section 5)',
      'other.example.org',
      { negativeTtl: 20 },
      19,
      1,
    ],
    ['"no name" then expires', 'other.example.org', { negativeTtl: 20 }, 20, 2],
    ['"no data" is cached for the SOA minimum', 'null.example.org', { negativeTtl: 20 }, 19, 1],
    ['SERVFAIL is cached for a few seconds', 'servfail.example.org', {}, 2, 1],
    ['SERVFAIL then expires', 'servfail.example.org', {}, 3, 2],
    ['REFUSED is cached for a few seconds (RFC 9520 section 2.2)', 'refused.example.org', {}, 2, 1],
    ['REFUSED then expires', 'refused.example.org', {}, 3, 2],
    ['a CNAME loop is cached for a few seconds (RFC 9520 section 2.5)', 'loop.example.org', {}, 2, 1],
  ])('%s', async (_title, name, options, seconds, queries) => {
    expect((await lookupAgain(name, options, seconds)).queries).toBe(queries);
  });

  test('a cached response is marked as such and counts its TTL down', async () => {
    const { again } = await lookupAgain('example.org', { ttl: 60 }, 10);
    expect(again).toMatchObject({ ttl: 50, evidence: { fromCache: true, milliseconds: 0 } });
  });

  test('the number of cached responses is limited, and the oldest is evicted first', async () => {
    const server = await serve(world);
    const dns = resolver(server, { cache: { entries: 2, octets: 10_000, seconds: 300 } });
    for (const type of ['A', 'AAAA', 'NS', 'A', 'NS'] as const) await dns.lookup('example.org', type);
    expect(server.queries.map((query) => query.split(' ')[2])).toEqual(['A', 'AAAA', 'NS', 'A']);
  });

  test('the size of cached responses is limited', async () => {
    const server = await serve(world);
    const dns = resolver(server, { cache: { entries: 10, octets: 1000, seconds: 300 } });
    await dns.lookup('big.example.org', 'TXT');
    await dns.lookup('big.example.org', 'TXT');
    expect(server.queries).toHaveLength(4);
  });

  test('a fresh lookup sends a new query and caches the newer response', async () => {
    const server = await serve(world);
    const dns = resolver(server);
    await dns.lookup('example.org', 'A');
    const fresh = await dns.lookup('example.org', 'A', { fresh: true });
    expect(fresh.evidence.fromCache).toBeUndefined();
    await dns.lookup('example.org', 'A');
    expect(server.queries).toHaveLength(2);
  });

  test('a fresh lookup does not share a query that was sent before', async () => {
    const server = await serve(world, { behaviours: { 'example.org': { delayMilliseconds: 20 } } });
    const dns = resolver(server);
    const first = dns.lookup('example.org', 'A');
    const second = dns.lookup('example.org', 'A', { fresh: true });
    const third = dns.lookup('example.org', 'A');
    await Promise.all([first, second, third]);
    expect(server.queries).toHaveLength(2);
  });

  test('responses with and without signatures are cached separately', async () => {
    const server = await serve(world);
    const dns = resolver(server);
    for (const options of [{}, { dnssec: true }, { checkingDisabled: true }])
      await dns.lookup('example.org', 'A', options);
    expect(server.queries).toHaveLength(3);
  });
});

describe('resolution failures', () => {
  /** Long enough for a timeout to count, but short. */
  const hasty = { retryMilliseconds: 100, lookupMilliseconds: 400 };

  test('a timeout is cached: later callers do not wait until the back-off ends', async () => {
    const server = await serve(world);
    const dns = resolver(server, hasty);
    const sendsQuery = async () => {
      const before = server.queries.length;
      const answer = await dns.lookup('timeout.example.org', 'TXT');
      expect(answer).toMatchObject({ status: 'unavailable', reason: 'timeout' });
      expect(answer.evidence.fromCache === true).toBe(server.queries.length === before);
      return server.queries.length > before;
    };
    const attempts: number[] = [];
    for (let second = 0; second < 50; second += 1) {
      if (await sendsQuery()) attempts.push(second);
      now += 1000;
    }
    expect(attempts).toEqual([0, 3, 9, 21, 45]);
  });

  test('a failure does not affect other types, other flags or other names', async () => {
    const server = await serve({
      'example.org': { TXT: 'SERVFAIL', A: ['192.0.2.1'] },
      'www.example.org': { TXT: ['x'] },
    });
    const dns = resolver(server);
    const failing = [{}, { dnssec: true }, { checkingDisabled: true }];
    for (const options of [...failing, ...failing]) {
      expect(await dns.lookup('example.org', 'TXT', options)).toMatchObject({ status: 'unavailable' });
    }
    expect(await dns.lookup('example.org', 'A')).toMatchObject({ status: 'found' });
    expect(await dns.lookup('www.example.org', 'TXT')).toMatchObject({ status: 'found' });
    expect(server.queries).toEqual([
      ...failing.map(() => 'udp example.org TXT'),
      'udp example.org A',
      'udp www.example.org TXT',
    ]);
  });

  test('a fresh lookup ignores a cached failure, and its response removes the failure', async () => {
    let isBroken = true;
    const forge = (query: Buffer) => [isBroken ? reply(query, 0, 0x8182) : good(query)];
    const server = await serve({}, { behaviours: { 'example.org': { forge } } });
    const dns = resolver(server);
    expect(await dns.lookup('example.org', 'A')).toMatchObject({ reason: 'server-failure' });
    isBroken = false;
    expect(await dns.lookup('example.org', 'A')).toMatchObject({ reason: 'server-failure' });
    expect(await dns.lookup('example.org', 'A', { fresh: true })).toMatchObject({ status: 'found' });
    expect(await dns.lookup('example.org', 'A')).toMatchObject({ status: 'found' });
    expect(server.queries).toHaveLength(2);
  });

  test('a failed fresh lookup leaves the unexpired response, and its failure is cached', async () => {
    let isBroken = false;
    const forge = (query: Buffer) => [isBroken ? reply(query, 0, 0x8182) : good(query)];
    const server = await serve({}, { behaviours: { 'example.org': { forge } } });
    const dns = resolver(server);
    await dns.lookup('example.org', 'A');
    now += 299_000;
    isBroken = true;
    expect(await dns.lookup('example.org', 'A', { fresh: true })).toMatchObject({ reason: 'server-failure' });
    expect(await dns.lookup('example.org', 'A')).toMatchObject({ status: 'found' });
    now += 1000;
    expect(await dns.lookup('example.org', 'A')).toMatchObject({ evidence: { fromCache: true } });
    expect(server.queries).toHaveLength(2);
  });

  test('if nothing listens, the query is sent again after a second', async () => {
    const gone = await startDnsServer(world);
    await gone.stop();
    const dns = resolver(gone);
    const isFromCache = async () => (await dns.lookup('example.org', 'A')).evidence.fromCache === true;
    expect(await isFromCache()).toBe(false);
    expect(await isFromCache()).toBe(true);
    now += 1000;
    expect(await isFromCache()).toBe(false);
  });

  test('a caller that stops waiting leaves a cached failure, which the response removes', async () => {
    let isSilent = true;
    const forge = (query: Buffer) => (isSilent ? [] : [good(query)]);
    const server = await serve({}, { behaviours: { 'example.org': { forge } } });
    const dns = resolver(server, { retryMilliseconds: 100, lookupMilliseconds: 4000 });
    const deadline = new AbortController();
    const bounded = dnsWithDeadline(dns, deadline.signal).lookup('example.org', 'A');
    const patient = dns.lookup('example.org', 'A');
    // The third query is sent after twice the timeout that counts.
    await until(() => server.queries.length === 3);
    deadline.abort();
    expect(await bounded).toMatchObject({ reason: 'deadline' });
    const next = await dns.lookup('example.org', 'A');
    expect(next).toMatchObject({ reason: 'timeout', evidence: { fromCache: true } });

    isSilent = false;
    expect(await dns.lookup('example.org', 'A', { fresh: true })).toMatchObject({ status: 'found' });
    expect(await dns.lookup('example.org', 'A')).toMatchObject({ status: 'found' });
    expect(await patient).toMatchObject({ reason: 'timeout' });
  });

  test('a caller that stops waiting early leaves no cached failure', async () => {
    const server = await serve(world, { behaviours: { 'example.org': { repliesOnceRepeated: true } } });
    const dns = resolver(server, { retryMilliseconds: 1500 });
    const deadline = new AbortController();
    const bounded = dnsWithDeadline(dns, deadline.signal).lookup('example.org', 'A');
    await until(() => server.queries.length === 1);
    deadline.abort();
    expect(await bounded).toMatchObject({ reason: 'deadline' });
    expect(await dns.lookup('example.org', 'A')).toMatchObject({ status: 'found' });
  });

  test('a query whose time ran out in the queue is not a failure', async () => {
    // More than the queries that one zone can have at a time.
    const names = Array.from({ length: 201 }, (_, at) => `n${at}.example.org`);
    const server = await serve(Object.fromEntries(names.map((name) => [name, 'TIMEOUT'])));
    const zoneOf = () => 'example.org';
    const dns = resolver(server, { retryMilliseconds: 1500, lookupMilliseconds: 2000, zoneOf });
    const answers = await Promise.all(names.map((name) => dns.lookup(name, 'A')));
    expect(new Set(answers.map((answer) => answer.status === 'unavailable' && answer.reason))).toEqual(
      new Set(['timeout']),
    );
    const isFromCache = async (name: string) => {
      const signal = AbortSignal.timeout(100);
      const { evidence } = await dnsWithDeadline(dns, signal).lookup(name, 'A');
      return evidence.fromCache === true;
    };
    expect(await isFromCache('n0.example.org')).toBe(true);
    expect(await isFromCache('n200.example.org')).toBe(false);
  });

  test.each([
    ['is not queried for a fourth', 100, 0],
    ['is, if they had too little time for an answer', 3000, 1],
  ])('a zone whose servers were silent for three names %s', async (_, retryMilliseconds, queries) => {
    const names = ['a', 'b', 'c', 'd'].map((label) => `${label}.silent.test`);
    const server = await serve({ ...world, ...Object.fromEntries(names.map((name) => [name, 'TIMEOUT'])) });
    const zoneOf = (name: string) => name.replace(/^.\.silent/, 'silent');
    const dns = resolver(server, { ...hasty, retryMilliseconds, zoneOf });
    await Promise.all(names.slice(0, 3).map((name) => dns.lookup(name, 'A')));
    await dns.lookup('example.org', 'A');
    expect(await dns.lookup('d.silent.test', 'A')).toMatchObject({ reason: 'timeout' });
    expect(server.queries.filter((query) => query === 'udp d.silent.test A')).toHaveLength(queries);
  });

  test('background work gets the cached failure while the query is repeated', async () => {
    let isBroken = true;
    const forge = (query: Buffer) => [isBroken ? reply(query, 0, 0x8182) : good(query)];
    const server = await serve({}, { behaviours: { 'example.org': { forge } } });
    const dns = resolver(server);
    const inBackground = () => dns.lookup('example.org', 'A', { retryInBackground: true });
    expect(await inBackground()).not.toHaveProperty('evidence.fromCache');
    isBroken = false;
    now += 3000;
    expect(await inBackground()).toMatchObject({ reason: 'server-failure', evidence: { fromCache: true } });
    await until(async () => (await inBackground()).status === 'found');
    expect(server.queries).toHaveLength(2);
  });
});

describe('record sets for DNSSEC', () => {
  test('each set of the answer section has its data in wire form and its signatures', async () => {
    const signature = Buffer.alloc(64, 5);
    const host = { name: 'host.example.org', ttl: 50 };
    const rrsig = (typeCovered: string, labels: number) => ({
      typeCovered,
      algorithm: 13,
      labels,
      originalTTL: 300,
      expiration: 2_000_000_000,
      inception: 1_700_000_000,
      keyTag: 4242,
      signersName: 'Example.org',
      signature,
    });
    const forge = (query: Buffer) => [
      encode({
        ...(decode(query) as Packet),
        type: 'response',
        answers: [
          { name: 'WWW.example.org', type: 'CNAME', ttl: 100, data: 'Host.example.org' },
          { name: 'www.example.org', type: 'RRSIG', ttl: 100, data: rrsig('CNAME', 2) },
          { ...host, type: 'MX', data: { preference: 10, exchange: 'Mx.example.org' } },
          { ...host, type: 'MX', data: { preference: 20, exchange: 'mx2.example.org' } },
          { ...host, type: 'RRSIG', data: rrsig('MX', 3) },
          { ...host, type: 'RRSIG', data: rrsig('A', 3) },
        ],
      } as Packet),
    ];
    const server = await serve({}, { behaviours: { 'www.example.org': { forge } } });
    const answer = await resolver(server).lookup('www.example.org', 'MX', { dnssec: true });
    const wireName = (text: string) =>
      Buffer.concat([
        ...text.split('.').map((l) => Buffer.from([l.length, ...Buffer.from(l)])),
        Buffer.from([0]),
      ]);
    const expected = (typeCovered: string, labels: number) => {
      const { originalTTL: originalTtl, signersName: _, ...same } = rrsig(typeCovered, labels);
      return { ...same, originalTtl, signerName: 'example.org', signature: Uint8Array.from(signature) };
    };
    expect(
      answer.status === 'found' &&
        answer.sets
          .map((set) => ({ ...set, rdata: set.rdata.map((data) => Buffer.from(data)) }))
          .toSorted((a, b) => (a.type < b.type ? -1 : 1)),
    ).toEqual([
      {
        name: 'www.example.org',
        type: 'CNAME',
        ttl: 100,
        rdata: [wireName('Host.example.org')],
        signatures: [expected('CNAME', 2)],
      },
      {
        name: 'host.example.org',
        type: 'MX',
        ttl: 50,
        rdata: [
          Buffer.concat([Buffer.from([0, 10]), wireName('Mx.example.org')]),
          Buffer.concat([Buffer.from([0, 20]), wireName('mx2.example.org')]),
        ],
        signatures: [expected('MX', 3)],
      },
    ]);
    expect(answer).toMatchObject({ ttl: 50 });
  });
});

test('the system configuration names its servers by address and port', () => {
  for (const { address, port } of systemServers()) {
    expect(address).not.toBe('');
    expect(port).toBeGreaterThan(0);
  }
});
