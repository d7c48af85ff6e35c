import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encode } from 'dns-packet';
import { startExampleInternet } from '../../../../lib/local/example-internet/index.ts';
import type { RecordType } from '../../../../shared/protocol/dns.ts';
import { startDnsServer } from '../../../kit/dns-server.ts';
import { atEnd, use, useFolder } from '../../../kit/use.ts';
import { has, run, startWorld, type World } from './world.ts';

const asked = { dnssec: true, checkingDisabled: true } as const;
const long = 'x'.repeat(2000);

const real = await use(
  startDnsServer(
    {
      'example.org': { MX: [[10, 'mx.example.org']] },
      'big.example.org': { TXT: [long.match(/.{1,200}/g) ?? []] },
      'silent.example.org': 'TIMEOUT',
    },
    {
      behaviours: {
        'forged.example.org': {
          forge: (query) => [
            Buffer.concat([query.subarray(0, 2), Buffer.from('8180000000000000', 'hex'), Buffer.from('!!')]),
          ],
        },
      },
    },
  ),
);
const world = await startWorld([{ address: real.address, port: real.port }]);

atEnd(() => world.internet.stop());

function publish(name: string, value: string, type: 'A' | 'TXT' = 'TXT'): void {
  expect(world.internet.publish({ name, type, value })).toBeUndefined();
}

/** The answer to a query, and whether it is signed. */
async function authenticated(name: string, type: RecordType) {
  const answer = await world.dns.lookup(name, type, { ...asked, fresh: true });
  if (answer.status !== 'found' && answer.status !== 'absent') throw new Error(answer.status);
  return { ...answer, security: (await world.validator.authenticate(answer)).status };
}

describe('the zones', () => {
  // Of the records of good.test, checks.test.ts shows it, and what delv validates, which is below.
  test.each<[string, RecordType, string, string]>([
    ['good.test', 'SOA', 'found', 'secure'],
    ['broken-spf.test', 'TXT', 'found', 'secure'],
    ['test', 'DNSKEY', 'found', 'secure'],
    ['weak.test', 'MX', 'found', 'insecure'],
    ['nothere.good.test', 'A', 'absent', 'secure'],
    ['_domainkey.good.test', 'TXT', 'absent', 'secure'],
    ['good.test', 'AAAA', 'absent', 'secure'],
    ['weak.test', 'DS', 'absent', 'secure'],
    ['nothere.weak.test', 'A', 'absent', 'insecure'],
  ])('%s %s is %s and %s', async (name, type, status, security) => {
    expect(await authenticated(name, type)).toMatchObject({ status, security });
  });

  test.each<[string, RecordType, string, string]>([
    ['nothere.good.test', 'A', 'absent', 'no-name'],
    ['_domainkey.good.test', 'TXT', 'absent', 'no-data'],
    ['good.test', 'AAAA', 'absent', 'no-data'],
    ['weak.test', 'DS', 'absent', 'no-data'],
    ['weak.test', 'DNSKEY', 'absent', 'no-data'],
    ['contest', 'A', 'absent', 'no-name'],
    ['servfail.test', 'MX', 'unavailable', 'server-failure'],
    ['_dmarc.servfail.test', 'TXT', 'unavailable', 'server-failure'],
  ])('%s %s is %s: %s', async (name, type, status, reason) => {
    expect(await world.dns.lookup(name, type)).toMatchObject({ status, reason });
  });

  test('a null MX has the root as its exchange (RFC 7505)', async () => {
    expect(await world.dns.lookup('parked.test', 'MX')).toMatchObject({
      records: [{ preference: 0, exchange: '' }],
    });
  });

  test('names are case-insensitive', async () => {
    expect(await world.dns.lookup('GOOD.Test', 'MX')).toMatchObject({ status: 'found' });
  });
});

describe('publishing', () => {
  test('takes effect immediately, with a signature', async () => {
    const name = '_svc.good.test';
    publish(name, 'svc-verify=1');
    expect(await authenticated(name, 'TXT')).toMatchObject({ records: ['svc-verify=1'], security: 'secure' });
    publish(name, 'svc-verify=2');
    expect(await world.dns.lookup(name, 'TXT', { fresh: true })).toMatchObject({
      records: ['svc-verify=1', 'svc-verify=2'],
    });
  });

  test('works for names below .test that are not zones', async () => {
    publish('_svc.mine.test', long);
    expect(await world.dns.lookup('_svc.mine.test', 'TXT')).toMatchObject({ records: [long] });
    publish('mine.test', '192.0.2.99', 'A');
    expect(await world.dns.lookup('mine.test', 'A')).toMatchObject({ records: ['192.0.2.99'] });
  });

  test('of an existing record changes nothing and keeps a valid signature', async () => {
    for (const name of ['_svc.again.test', '_SVC.Again.test.']) publish(name, 'once');
    publish('_dmarc.good.test', 'v=DMARC1; p=reject; rua=mailto:dmarc@good.test');
    for (const name of ['_svc.again.test', '_dmarc.good.test'])
      expect(await authenticated(name, 'TXT')).toMatchObject({
        records: [expect.anything()],
        security: 'secure',
      });
  });

  test('can be withdrawn for each record', async () => {
    const record = (value: string) => ({ name: '_svc.back.test', type: 'TXT', value }) as const;
    for (const value of ['one', 'two']) publish('_svc.back.test', value);
    expect(world.internet.withdraw(record('one'))).toBe(true);
    expect(world.internet.withdraw(record('one'))).toBe(false);
    expect(await world.dns.lookup('_svc.back.test', 'TXT')).toMatchObject({ records: ['two'] });
    expect(world.internet.withdraw(record('two'))).toBe(true);
    expect(await world.dns.lookup('_svc.back.test', 'TXT', { fresh: true })).toMatchObject({
      status: 'absent',
    });
  });

  test('can replace and withdraw those of the example domains, also after a restart', async () => {
    const keptIn = join(useFolder('records'), 'records.sqlite');
    const seen = async ({ dns }: World, name: string) => {
      const answer = await dns.lookup(name, 'TXT', { fresh: true });
      return answer.status === 'found' ? answer.records : answer.status;
    };
    const weak = { name: '_dmarc.weak.test', type: 'TXT' } as const;
    const parked = { name: '_dmarc.parked.test', type: 'TXT' } as const;
    const policy = 'v=DMARC1; p=reject; rua=mailto:dmarc@good.test';
    let own = await startWorld([], { keptIn });
    expect(own.internet.replaceText({ ...weak, value: policy })).toBeUndefined();
    expect(own.internet.withdraw({ ...parked, value: policy })).toBe(true);
    for (const restarted of [false, true]) {
      if (restarted) {
        await own.internet.stop();
        own = await startWorld([], { keptIn });
      }
      expect([await seen(own, weak.name), await seen(own, parked.name)]).toEqual([[policy], 'absent']);
    }
    expect(own.internet.publish({ ...parked, value: policy })).toBeUndefined();
    expect(own.internet.replaceText({ ...weak, value: 'v=DMARC1; p=none' })).toBeUndefined();
    expect([await seen(own, weak.name), await seen(own, parked.name)]).toEqual([
      ['v=DMARC1; p=none'],
      [policy],
    ]);
    await own.internet.stop();
  });

  test('accepts as many records as fit into a response', async () => {
    const value = (n: number) => `${n} `.padEnd(2000, 'x');
    const problems = Array.from({ length: 40 }, (_, n) =>
      world.internet.publish({ name: 'full.test', type: 'TXT', value: value(n) }),
    );
    expect(problems.at(-1)).toContain('would be too large for a DNS response');
    const taken = problems.filter((problem) => problem === undefined).length;
    const found = await world.dns.lookup('full.test', 'TXT', asked);
    expect(found.status === 'found' && found.records.length).toBe(taken);
  });

  test.each([
    ['a name outside of .test', 'example.org', 'TXT', 'x', 'Only names under .test'],
    ['.test itself', 'test', 'TXT', 'x', 'Only names under .test'],
    ['a wildcard', '*.wild.test', 'TXT', 'x', 'Wildcards are not supported'],
    ['a zone that always fails', '_svc.servfail.test', 'TXT', 'x', 'whose name servers fail'],
    ['an empty label', 'a..test', 'TXT', 'x', 'invalid-character'],
    ['a label that is too long', `${'a'.repeat(64)}.test`, 'TXT', 'x', 'label-too-long'],
    ['a name with a space', 'a b.test', 'TXT', 'x', 'invalid-character'],
    ['a text that is too long', 'long.test', 'TXT', 'x'.repeat(2001), 'most 2000 bytes; this one has 2001'],
    ['a text with too many octets', 'long.test', 'TXT', '\u00e9'.repeat(1001), 'this one has 2002'],
    ['an invalid address', 'a.test', 'A', '192.0.2', 'must be an IPv4 address'],
    ['an IPv4 address as AAAA', 'a.test', 'AAAA', '192.0.2.1', 'must be an IPv6 address'],
  ] as const)('%s is rejected with a reason', (_, name, type, value, reason) => {
    expect(world.internet.publish({ name, type, value })).toContain(reason);
  });
});

describe('queries for other names go to the real resolvers', () => {
  test('over UDP, with the response unchanged', async () => {
    const query = encode({ id: 4711, questions: [{ type: 'MX', name: 'forged.example.org' }] });
    const socket = createSocket('udp4');
    socket.send(query, world.dnsPort, '127.0.0.1');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    socket.close();
    expect(answer.toString('hex')).toBe(`${query.subarray(0, 2).toString('hex')}81800000000000002121`);
  });

  test('to the resolver', async () => {
    expect(await world.dns.lookup('example.org', 'MX')).toMatchObject({ status: 'found' });
    expect(real.queries).toContain('udp example.org MX');
  });

  test('over TCP if the response is long', async () => {
    expect(await world.dns.lookup('big.example.org', 'TXT')).toMatchObject({ records: [long] });
    expect(real.queries).toContain('tcp big.example.org TXT');
  });

  test('and stay without an answer if the resolvers do not respond', async () => {
    expect(await world.dns.lookup('silent.example.org', 'A')).toMatchObject({
      status: 'unavailable',
      reason: 'timeout',
    });
  });

  test('and result in an immediate SERVFAIL without resolvers', async () => {
    const alone = await startWorld();
    const begin = performance.now();
    expect(await alone.dns.lookup('example.org', 'A')).toMatchObject({ reason: 'server-failure' });
    expect(performance.now() - begin).toBeLessThan(5_000);
    await alone.internet.stop();
  });
});

describe('the domains that receive mail', () => {
  const received = (reportsDomain: string, testerDomain: string) =>
    startWorld([{ address: real.address, port: real.port }], { receiving: { reportsDomain, testerDomain } });
  let local: World;
  beforeAll(async () => {
    local = await received('reports.localhost', 'tester.localhost');
  });
  afterAll(() => local.internet.stop());

  const mx = { preference: 10, exchange: 'inbound-smtp.localhost' };
  test.each<[string, RecordType, unknown]>([
    ['reports.localhost', 'MX', mx],
    ['Reports.Localhost', 'TXT', 'v=spf1 -all'],
    ['_dmarc.reports.localhost', 'TXT', 'v=DMARC1; p=reject'],
    ['good.test._report._dmarc.reports.localhost', 'TXT', 'v=DMARC1'],
    ['a.b.c.weak.test._report._dmarc.reports.localhost', 'TXT', 'v=DMARC1'],
    ['tester.localhost', 'MX', mx],
    ['tester.localhost', 'TXT', 'v=spf1 -all'],
    ['_dmarc.tester.localhost', 'TXT', 'v=DMARC1; p=reject'],
    ['inbound-smtp.localhost', 'A', '127.0.0.1'],
  ])('%s %s is published below localhost', async (name, type, record) => {
    expect(await local.dns.lookup(name, type)).toMatchObject({ status: 'found', records: [record] });
  });

  test.each<[string, RecordType, string]>([
    ['_report._dmarc.reports.localhost', 'TXT', 'no-data'],
    ['good.test._report._dmarc.reports.localhost', 'A', 'no-data'],
    ['nothere.reports.localhost', 'TXT', 'no-name'],
    ['good.test._report._dmarc.tester.localhost', 'TXT', 'no-name'],
    ['reports.localhost', 'DS', 'no-data'],
  ])('%s %s does not exist: %s', async (name, type, reason) => {
    expect(await local.dns.lookup(name, type)).toMatchObject({ status: 'absent', reason });
  });

  test('are forwarded to the real resolvers if they are not below localhost', async () => {
    const owned = await received('example.org', 'localhost');
    const asked = ['_dmarc.example.org', 'x._report._dmarc.example.org', 'localhost', 'other.localhost'];
    for (const name of asked) {
      await owned.dns.lookup(name, 'TXT');
      expect(real.queries).toContain(`udp ${name} TXT`);
    }
    await owned.internet.stop();
  });
});

describe('hostile queries', () => {
  test.each([
    ['nothing', ''],
    ['less than a header', '0001'],
    ['a response', '00018180000100000000000004676f6f640474657374000001' + '0001'],
    ['a name that points to itself', '0001010000010000000000' + '00c00c00010001'],
  ])('%s gets no response and does no harm', async (_, hex) => {
    const socket = createSocket('udp4');
    socket.send(Buffer.from(hex, 'hex'), world.dnsPort, '127.0.0.1');
    const answered = await Promise.race([
      once(socket, 'message').then(() => true),
      new Promise((resolve) => setTimeout(resolve, 100, false)),
    ]);
    socket.close();
    expect(answered).toBe(false);
    expect(await world.dns.lookup('good.test', 'MX', { fresh: true })).toMatchObject({ status: 'found' });
  });
});

describe('starting and stopping', () => {
  test('fails if the port is in use', async () => {
    await expect(startExampleInternet({ forwardTo: [], dnsPort: world.dnsPort })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  test('takes less than 5 seconds, uses the given port, and frees it after stopping', async () => {
    const begin = performance.now();
    const first = await startExampleInternet({ forwardTo: [] });
    expect(performance.now() - begin).toBeLessThan(5_000);
    const dnsPort = Number(first.dnsServers.split(':')[1]);
    await first.stop();
    const second = await startExampleInternet({ forwardTo: [], dnsPort });
    expect(second.dnsServers).toBe(`127.0.0.1:${dnsPort}`);
    await second.stop();
  });
});

(has('dig') ? describe : describe.skip)('queried by dig', () => {
  const dig = (...args: string[]) =>
    run('dig', '@127.0.0.1', '-p', String(world.dnsPort), '+tries=1', '+time=3', ...args);

  test('signatures come with the DO bit and not without', async () => {
    expect(await dig('good.test', 'MX', '+dnssec')).toMatch(/good\.test\.\s+2\s+IN\s+RRSIG\s+MX 13 2 2 /);
    expect(await dig('good.test', 'MX')).not.toContain('RRSIG');
  });

  test('long responses use TCP', async () => {
    publish('long.test', long);
    const answer = await dig('long.test', 'TXT', '+dnssec');
    expect(answer).toContain('Truncated, retrying in TCP mode');
    expect(answer).toContain('(TCP)');
  });

  test('a response without EDNS has no OPT record', async () => {
    expect(await dig('good.test', 'MX', '+noedns')).not.toContain('OPT PSEUDOSECTION');
  });

  test('unknown types result in NODATA', async () => {
    expect(await dig('good.test', 'TYPE65280')).toContain('status: NOERROR');
    expect(await dig('good.test', 'TYPE65')).toMatch(/AUTHORITY SECTION:\s+good\.test\.\s+2\s+IN\s+SOA/);
  });
});

(has('delv') ? describe : describe.skip)('validated by delv', () => {
  test.each([
    ['good.test', 'MX'],
    ['good.test', 'TXT'],
    ['_25._tcp.mx2.good.test', 'TLSA'],
    ['google._domainkey.good.test', 'TXT'],
    ['parked.test', 'MX'],
    ['receive-only.test', 'SOA'],
    ['test', 'DNSKEY'],
  ])('%s %s is fully validated', async (name, type) => {
    const [, , , tag, algorithm, digestType, digest] = world.internet.trustAnchors.split(' ');
    const file = join(useFolder('example-internet'), 'anchor');
    const anchor = `test. static-ds ${tag} ${algorithm} ${digestType} "${digest}";`;
    writeFileSync(file, `trust-anchors { ${anchor} };\n`);
    const server = ['@127.0.0.1', '-p', String(world.dnsPort)];
    const answer = await run('delv', ...server, '-a', file, '+root=test', name, type);
    expect(answer).toContain('; fully validated');
  });
});
