import { describe, expect, test } from '@jest/globals';
import { inspectDmarc } from '../../../../shared/checks/dmarc/inspect.ts';
import { inspectAgreement, inspectServers } from '../../../../shared/checks/dnssec/name-servers.ts';
import { inspectMx } from '../../../../shared/checks/mx/inspect.ts';
import { inspectSpf } from '../../../../shared/checks/spf/inspect.ts';
import type { Network } from '../../../../shared/network/ports.ts';
import type { MxRecord } from '../../../../shared/protocol/dns.ts';
import { fakeAuthorities } from '../../../kit/authorities.ts';
import { recorded } from '../../../kit/recorded.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';

const NS1 = 'ns1.example.net';
const NS2 = 'ns2.example.net';
const NS3 = 'ns3.example.net';
const served: ZoneLiteral = { 'example.org': { NS: [NS2, NS1, NS3] } };
const mx = (...records: [number, string][]): ZoneLiteral => ({ 'example.org': { MX: records } });
const print = ({ preference, exchange }: MxRecord) => `${preference} ${exchange}`;

async function compare(
  servers: Parameters<typeof fakeAuthorities>[0],
  literal: ZoneLiteral = served,
  domain = 'example.org',
) {
  const authorities = fakeAuthorities(servers);
  const question = { domain, name: domain, type: 'MX', records: 'MX', print } as const;
  const findings = await inspectAgreement({ dns: zone(literal), authorities }, question);
  recorded({ findings, questions: authorities.questions });
  return { answers: findings.map((finding) => finding.arguments.answers), questions: authorities.questions };
}

describe('the name servers of a domain', () => {
  const here = mx([10, 'mx.example.org']);
  const there = mx([10, 'old.example.org']);

  test('that agree raise no finding, in whatever order they list the records', async () => {
    const one = mx([10, 'a.example.org'], [20, 'b.example.org']);
    const other = mx([20, 'b.example.org'], [10, 'a.example.org']);
    expect((await compare({ [NS1]: one, [NS2]: other, [NS3]: one })).answers).toEqual([]);
  });

  test('that disagree are reported, each with its answer', async () => {
    expect((await compare({ [NS1]: here, [NS2]: there, [NS3]: here })).answers).toEqual([
      ['ns1.example.net, ns3.example.net: "10 mx.example.org"', 'ns2.example.net: "10 old.example.org"'],
    ]);
  });

  test('of which many agree are counted', async () => {
    const servers = [NS1, NS2, NS3, 'ns4.example.net'];
    const { answers } = await compare(
      { [NS1]: here, [NS2]: here, [NS3]: here, 'ns4.example.net': there },
      { 'example.org': { NS: servers } },
    );
    expect(answers[0]).toContain('ns1.example.net and 2 more: "10 mx.example.org"');
  });

  test.each<[string, ZoneLiteral]>([
    ['does not know the name', {}],
    ['does not have the records', { 'example.org': {} }],
  ])('of which one %s are reported', async (_, other) => {
    const { answers } = await compare({ [NS1]: here, [NS2]: other });
    expect(answers).toEqual([['ns1.example.net: "10 mx.example.org"', 'ns2.example.net: no records']]);
  });

  test('of which one returns a CNAME instead are reported', async () => {
    const alias = { 'example.org': { CNAME: ['www.example.org'] } };
    const { answers } = await compare({ [NS1]: here, [NS2]: alias });
    expect(answers).toEqual([[expect.any(String), 'ns2.example.net: CNAME to www.example.org']]);
  });

  test.each<[string, Parameters<typeof fakeAuthorities>[0]]>([
    ['all but one', { [NS1]: here, [NS2]: 'silent', [NS3]: 'silent' }],
    ['all', {}],
    ['those that would disagree', { [NS1]: here, [NS2]: { 'example.org': 'REFUSED' }, [NS3]: here }],
  ])('cause no finding if lookups fail at %s', async (_, servers) => {
    expect((await compare(servers)).answers).toEqual([]);
  });

  test.each<[string, ZoneLiteral]>([
    ['cannot be looked up', { 'example.org': { NS: 'SERVFAIL' } }],
    ['are not listed', {}],
    ['are only one', { 'example.org': { NS: [NS1] } }],
  ])('that %s are not queried', async (_, literal) => {
    expect((await compare({ [NS1]: here, [NS2]: there }, literal)).questions).toEqual([]);
  });

  test('are those of the parent zone for a name that is not a zone apex', async () => {
    const { questions } = await compare({}, served, 'mail.example.org');
    expect(questions.toSorted()).toEqual([NS1, NS2, NS3].map((server) => `${server} mail.example.org MX`));
  });

  test('of the parent zone are not queried if the lookup at the name failed', async () => {
    const literal: ZoneLiteral = { ...served, 'mail.example.org': { NS: 'SERVFAIL' } };
    expect((await compare({}, literal, 'mail.example.org')).questions).toEqual([]);
  });

  test('of an alias target are not queried for the alias', async () => {
    const literal = {
      'mail.example.org': { CNAME: ['example.net'] },
      'example.net': { NS: ['ns.example.net'] },
    };
    expect((await compare({}, { ...served, ...literal }, 'mail.example.org')).questions).toHaveLength(3);
  });

  test('are limited to eight', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `ns${index}.example.net`);
    expect((await compare({}, { 'example.org': { NS: many } })).questions).toHaveLength(8);
  });

  test('with different versions of the zone are reported with their serial numbers', async () => {
    const soa = (serial: number): ZoneLiteral => ({
      'example.org': { SOA: [{ mname: 'ns.example.org', rname: 'admin.example.org', serial, minimum: 60 }] },
    });
    const authorities = fakeAuthorities({ [NS1]: soa(41), [NS2]: soa(42) });
    const dns = zone({ ...served, '*.example.net': { A: ['192.0.2.53'] } });
    expect((await inspectServers({ dns, authorities }, 'mail.example.org')).findings).toMatchObject([
      {
        id: 'zone-serials-differ',
        severity: 'notice',
        arguments: { answers: ['ns1.example.net: "41"', 'ns2.example.net: "42"'] },
      },
    ]);
  });
});

describe('a check', () => {
  const resolved: ZoneLiteral = {
    'example.org': { ...(served['example.org'] as ZoneNode), TXT: ['v=spf1 -all'], MX: [[0, '.']] },
    '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject; rua=mailto:reports@example.org'] },
  };

  function network(second: ZoneLiteral): Network {
    const refuse = () => Promise.reject(new Error('unexpected query'));
    return {
      dns: zone(resolved),
      authorities: fakeAuthorities({ [NS1]: resolved, [NS2]: { ...resolved, ...second } }),
      web: { get: refuse },
      smtp: { probe: refuse },
      clock: { now: () => new Date() },
    };
  }
  const authenticate = async () => 'insecure' as const;
  const checks = {
    mx: (parts: Network) => inspectMx('example.org', parts, { authenticate }),
    spf: (parts: Network) => inspectSpf('example.org', parts),
    dmarc: (parts: Network) => inspectDmarc('example.org', parts),
    'inherited dmarc': (parts: Network) => inspectDmarc('mail.example.org', parts),
  };

  test.each<[keyof typeof checks, string, ZoneLiteral]>([
    ['mx', 'example.org', { 'example.org': { TXT: ['v=spf1 -all'], MX: [[10, 'mx.example.org']] } }],
    ['spf', 'example.org', { 'example.org': { TXT: ['v=spf1 +all'], MX: [[0, '.']] } }],
    ['dmarc', '_dmarc.example.org', { '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] } }],
    ['inherited dmarc', '_dmarc.example.org', { '_dmarc.example.org': {} }],
  ])('of %s raises a warning, and shows the answer of the resolver', async (name, subject, second) => {
    const agreed = await checks[name](network({}));
    const result = await checks[name](network(second));
    const beside = { findings: null, state: null };
    expect({ ...result, ...beside }).toEqual({ ...agreed, ...beside });
    expect(result.findings.filter((it) => !agreed.findings.some(({ id }) => id === it.id))).toMatchObject([
      { id: 'zone-servers-disagree', subject },
    ]);
    expect([agreed.state, result.state]).toEqual(['pass', 'warning']);
  });

  test('ignores other TXT records beside its own', async () => {
    const second = {
      'example.org': { TXT: ['v=spf1 -all', 'site-verification=1'], MX: [[0, '.']] },
    } as const;
    expect((await checks.spf(network(second))).state).toBe('pass');
  });
});
