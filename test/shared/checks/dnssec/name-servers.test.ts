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
import { networkOf } from '../../protocol/findings/cases/example.ts';

const NS1 = 'ns1.example.net';
const NS2 = 'ns2.example.net';
const NS3 = 'ns3.example.net';
const served: ZoneLiteral = { 'example.org': { NS: [NS2, NS1, NS3] } };
const mx = (...records: [number, string][]): ZoneLiteral => ({ 'example.org': { MX: records } });
const print = ({ preference, exchange }: MxRecord) => `${preference} ${exchange}`;
type Servers = Parameters<typeof fakeAuthorities>[0];

const here = mx([10, 'mx.example.org']);
const there = mx([10, 'old.example.org']);
const one = mx([10, 'a.example.org'], [20, 'b.example.org']);
const turned = mx([20, 'b.example.org'], [10, 'a.example.org']);
const alias = { 'example.org': { CNAME: ['www.example.org'] } };
const listing = (NS: ZoneNode['NS']): ZoneLiteral => ({ 'example.org': { NS } });
const many = Array.from({ length: 20 }, (_, index) => `ns${index}.example.net`);
const four = [NS1, NS2, NS3, 'ns4.example.net'];
const aliased = { 'mail.example.org': { CNAME: ['example.net'] }, 'example.net': { NS: ['ns.example.net'] } };

describe('the name servers of a domain', () => {
  test.each<[what: string, servers: Servers, literal?: ZoneLiteral, domain?: string]>([
    ['that agree raise no finding, in whatever order', { [NS1]: one, [NS2]: turned, [NS3]: one }],
    ['that disagree are reported, each with its answer', { [NS1]: here, [NS2]: there, [NS3]: here }],
    [
      'of which many agree are counted',
      { [NS1]: here, [NS2]: here, [NS3]: here, 'ns4.example.net': there },
      listing(four),
    ],
    ['of which one does not know the name are reported', { [NS1]: here, [NS2]: {} }],
    ['of which one does not have the records are reported', { [NS1]: here, [NS2]: { 'example.org': {} } }],
    ['of which one returns a CNAME instead are reported', { [NS1]: here, [NS2]: alias }],
    ['of which all but one are silent agree', { [NS1]: here, [NS2]: 'silent', [NS3]: 'silent' }],
    ['of which all are silent agree', {}],
    [
      'of which the one that would disagree refuses agree',
      { [NS1]: here, [NS2]: { 'example.org': 'REFUSED' }, [NS3]: here },
    ],
    ['that cannot be looked up are not queried', { [NS1]: here, [NS2]: there }, listing('SERVFAIL')],
    ['that are not listed are not queried', { [NS1]: here, [NS2]: there }, {}],
    ['that are only one are not queried', { [NS1]: here, [NS2]: there }, listing([NS1])],
    ['are those of the parent zone for a name that is not a zone apex', {}, served, 'mail.example.org'],
    [
      'of the parent zone are not queried if the lookup at the name failed',
      {},
      { ...served, 'mail.example.org': { NS: 'SERVFAIL' } },
      'mail.example.org',
    ],
    ['of an alias target are not queried for the alias', {}, { ...served, ...aliased }, 'mail.example.org'],
    ['are limited to eight', {}, listing(many)],
  ])('%s', async (_, ...[servers, literal = served, domain = 'example.org']) => {
    const authorities = fakeAuthorities(servers);
    const question = { domain, name: domain, type: 'MX', records: 'MX', print } as const;
    const findings = await inspectAgreement({ dns: zone(literal), authorities }, question);
    recorded({ findings, questions: authorities.questions });
  });

  const soa = (serial: number): ZoneLiteral => ({
    'example.org': { SOA: [{ mname: 'ns.example.org', rname: 'admin.example.org', serial, minimum: 60 }] },
  });
  const refuses = { 'example.org': 'REFUSED' } as const;
  const delegating = { 'example.org': { NS: [NS1, NS2] } };
  const unknown = { 'example.org': 'SERVFAIL' } as const;
  const parents = ['p1.example', 'p2.example', 'p3.example'] as const;
  test.each<[what: string, servers: Servers, literal?: ZoneLiteral]>([
    [
      'with two versions of the zone are reported with their serial numbers',
      { [NS1]: soa(41), [NS2]: soa(42) },
    ],
    ['with three versions', { [NS1]: soa(1), [NS2]: soa(2), [NS3]: soa(3) }],
    ['with four', { [NS1]: soa(1), [NS2]: soa(2), [NS3]: soa(3), 'ns4.example.net': soa(4) }, listing(four)],
    ['of which one refuses are reported', { [NS1]: soa(1), [NS2]: refuses }],
    [
      'that all refuse, while something on the way answers',
      { [NS1]: refuses, [NS2]: refuses, [NS3]: refuses },
    ],
    ['that all refuse are reported', { [parents[0]]: delegating, [NS1]: refuses, [NS2]: refuses }, unknown],
    ['of which one refuses and one is silent', { [parents[0]]: delegating, [NS1]: refuses }, unknown],
    [
      'that only the second server of the parent names',
      { [parents[1]]: delegating, [NS1]: refuses },
      unknown,
    ],
    ['that only the third names are not known', { [parents[2]]: delegating }, unknown],
    ['that the parent does not name are not known', { [parents[0]]: {}, [parents[1]]: delegating }, unknown],
  ])('%s', async (_, servers, literal = served) => {
    const authorities = fakeAuthorities(servers);
    const known = { '*.example.net': { A: ['192.0.2.53'] }, org: { NS: parents } } as const;
    const { findings } = await inspectServers(
      { dns: zone({ ...known, ...literal }), authorities },
      'mail.example.org',
    );
    recorded({ findings, questions: authorities.questions });
  });
});

describe('a check', () => {
  const resolved: ZoneLiteral = {
    'example.org': { ...(served['example.org'] as ZoneNode), TXT: ['v=spf1 -all'], MX: [[0, '.']] },
    '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject; rua=mailto:reports@example.org'] },
  };

  function network(second: ZoneLiteral): Network {
    const authorities = fakeAuthorities({ [NS1]: resolved, [NS2]: { ...resolved, ...second } });
    return networkOf({ dns: zone(resolved), authorities });
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
