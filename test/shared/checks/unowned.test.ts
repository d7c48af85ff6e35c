/** Names that nobody owns: what counts as such, and what never does. */
import { describe, expect, test } from '@jest/globals';
import { inspectServers } from '../../../shared/checks/dnssec/name-servers.ts';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import { inspectMx } from '../../../shared/checks/mx/inspect.ts';
import { inspectSpf } from '../../../shared/checks/spf/inspect.ts';
import { registrableAbove } from '../../../shared/checks/unowned.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import { fakeAuthorities } from '../../kit/authorities.ts';
import { recorded } from '../../kit/recorded.ts';
import { emptyResults } from '../../kit/results.ts';
import { fakeWeb } from '../../kit/web.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../kit/zone.ts';
import { networkOf } from '../protocol/findings/cases/example.ts';

const soa: ZoneNode = { SOA: [{ mname: 'ns.example', rname: 'admin.example', serial: 1, minimum: 60 }] };
const registries: ZoneLiteral = { example: soa, 'co.uk': soa, 'github.io': soa };

describe('a name that does not exist', () => {
  const above = (name: string, more: ZoneLiteral = {}) =>
    registrableAbove(name, 'mail.shop.example', zone({ ...registries, ...more }));

  test.each<[name: string, owner: string]>([
    ['a.b.gone.example', 'gone.example'],
    ['gone.example', 'gone.example'],
    ['a.gone.co.uk', 'gone.co.uk'],
    ['a.gone.github.io', 'gone.github.io'],
  ])('is unowned below a registrable domain that does not exist: %s', async (name, owner) => {
    expect(await above(name)).toBe(owner);
  });

  test.each<[why: string, name: string, more: ZoneLiteral]>([
    ['the domain exists', 'a.there.example', { 'there.example': soa }],
    [
      'the domain exists without an SOA record',
      'a.there.example',
      { 'b.there.example': { A: ['192.0.2.1'] } },
    ],
    ['the lookup of the domain failed', 'a.gone.example', { 'gone.example': 'TIMEOUT' }],
    ['the lookup of the registry failed', 'a.gone.example', { example: 'SERVFAIL' }],
    ['there is no registry', 'host.gone.internal', {}],
    ['there is an alias in its place', 'a.gone.test', { test: { CNAME: ['example'] } }],
    ['it is a public suffix', 'example', {}],
    ['it is in the domain itself', 'gone.shop.example', {}],
    ['no such name can be registered', `a.${'x'.repeat(64)}.example`, {}],
  ])('is not unowned if %s', async (_, name, more) => {
    expect(await above(name, more)).toBeUndefined();
  });
});

describe('the check run of a domain', () => {
  const names = ['_dmarc', '_mta-sts', 'mta-sts', '_smtp._tls', 'default._bimi'];
  const aliases = (target: string) =>
    Object.fromEntries(names.map((name) => [`${name}.shop.example`, { CNAME: [target] }]));
  const wildcard = { '*.shop.example': { CNAME: ['web.gone.example'] } };
  const others: ZoneLiteral = {
    '_dmarc.shop.example': { CNAME: ['policy.lost.example'] },
    '*._domainkey.shop.example': { CNAME: ['keys.gone.example'] },
  };

  test.each<[what: string, ZoneLiteral]>([
    ['each policy that leads to a name that nobody owns', aliases('policies.gone.example')],
    [
      'each policy that leads to a missing name of somebody, otherwise',
      { ...aliases('policies.there.example'), 'there.example': soa },
    ],
    [
      'no policy that leads to a name that cannot be looked up',
      { ...aliases('policies.broken.example'), 'policies.broken.example': 'SERVFAIL' },
    ],
    ['a wildcard once, which all names without records of their own lead to', wildcard],
    ['a wildcard beside other aliases', { ...wildcard, ...others }],
    [
      'a wildcard that leads to a missing name of somebody',
      { '*.shop.example': { CNAME: ['web.there.example'] }, 'there.example': soa },
    ],
  ])('reports %s', async (_, literal) => {
    const dns = zone({ ...registries, 'shop.example': soa, ...literal });
    const network = networkOf({ dns, web: fakeWeb({}), clock: systemClock });
    const domain = { domain: 'shop.example', testEmailLocalPart: null, knownSelectors: [] };
    recorded(await inspectDomain(domain, { network, trustAnchors: [] }), emptyResults());
  });
});

describe('an MX host that is an alias', () => {
  const of = async (literal: ZoneLiteral) => {
    const { findings } = await inspectMx(
      'shop.example',
      networkOf({
        dns: zone({ ...registries, 'shop.example': { MX: [[10, 'mail.shop.example']] }, ...literal }),
      }),
      { authenticate: async () => 'insecure' },
    );
    return findings.map(({ id, arguments: { target = '' } }) => `${id} ${target}`.trim());
  };
  const alias: ZoneLiteral = { 'mail.shop.example': { CNAME: ['mx.gone.example'] } };

  test.each<[why: string, more: ZoneLiteral, expected: string[]]>([
    ['of a name that nobody owns is reported with that', {}, ['unowned-mx-alias mx.gone.example']],
    ['of a missing host of somebody is not', { 'gone.example': soa }, ['mx-alias', 'mx-no-address']],
    [
      'of a host whose lookup fails is not',
      { 'mx.gone.example': 'TIMEOUT' },
      ['mx-address-unavailable', 'mx-none-checked'],
    ],
  ])('%s', async (_, more, expected) => {
    expect(await of({ ...alias, ...more })).toEqual(expected);
  });
});

describe('an SPF record', () => {
  const of = async (literal: ZoneLiteral) => {
    const { findings, state } = await inspectSpf('shop.example', {
      dns: zone({ ...registries, ...literal }),
    });
    const found = findings.filter(({ id }) => id === 'unowned-spf-target');
    return [state, ...found.map(({ subject, arguments: { domain } }) => `${domain}: ${subject}`)];
  };

  test('is searched to its last include, for hosts as well', async () => {
    const spf = await of({
      'shop.example': { TXT: ['v=spf1 include:_spf.esp.example a:www.gone.example ~all'] },
      '_spf.esp.example': { TXT: ['v=spf1 mx:lost.example ip4:192.0.2.1 -all'] },
    });
    expect(spf).toEqual(['warning', 'shop.example: www.gone.example', '_spf.esp.example: lost.example']);
  });

  test('is searched behind aliases and macros, as far as their names are fixed', async () => {
    const terms = [
      ...['include:spf.shop.example', 'exists:%{i}._spf.gone.example', 'exists:%{ir}.%{d}'],
      ...['exists:%{i}.there.example', 'exists:%{l}._at.%{o}', 'a:%{I}example', '-exists:%{i}.lost.example'],
      'ptr:hosts.vanished.example',
    ];
    const spf = await of({
      'shop.example': { TXT: [`v=spf1 ${terms.join(' ')} ~all`] },
      'spf.shop.example': { CNAME: ['spf.former.example'] },
      'there.example': soa,
    });
    expect(spf.slice(1)).toEqual([
      'shop.example: spf.former.example',
      'shop.example: _spf.gone.example',
      'shop.example: hosts.vanished.example',
    ]);
  });

  test('with many such names has ten findings, and asks about no more', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `gone${at}.example`);
    const dns = zone({
      ...registries,
      'shop.example': { TXT: [`v=spf1 ${names.map((name) => `a:${name}`).join(' ')} -all`] },
    });
    const { findings } = await inspectSpf('shop.example', { dns });
    expect(findings.filter(({ id }) => id === 'unowned-spf-target')).toHaveLength(10);
    expect(dns.questions.filter((question) => /^gone\d+\.example SOA$/.test(question))).toHaveLength(10);
  });

  test('may name a host without such a record, and one whose lookup fails', async () => {
    const spf = await of({
      'shop.example': { TXT: ['v=spf1 a:there.example include:broken.example -all'] },
      'there.example': { TXT: ['text'] },
      'broken.example': 'TIMEOUT',
    });
    expect(spf).toEqual(['unknown']);
  });
});

describe('a name server that does not answer for the zone', () => {
  const [ns1, ns2] = ['ns1.there.example', 'ns2.there.example'];
  const dns = zone({
    ...registries,
    'shop.example': { NS: [ns1, ns2] },
    '*.there.example': { A: ['192.0.2.1'] },
  });
  const served: ZoneLiteral = { 'shop.example': soa };
  const refusing: ZoneLiteral = { 'shop.example': 'REFUSED' };

  test.each<[string, Parameters<typeof fakeAuthorities>[0], string[]]>([
    ['is lame beside one that does', { [ns1]: served, [ns2]: refusing }, [`zone-server-lame ${ns2}`]],
    ['is not called lame if no server seems to answer', { [ns1]: refusing, [ns2]: refusing }, []],
    ['is not called lame if it fails', { [ns1]: served, [ns2]: { 'shop.example': 'SERVFAIL' } }, []],
    ['is not called lame if it is silent', { [ns1]: served, [ns2]: 'silent' }, []],
  ])('%s', async (_, servers, expected) => {
    const { findings } = await inspectServers({ dns, authorities: fakeAuthorities(servers) }, 'shop.example');
    expect(findings.map(({ id, subject }) => `${id} ${subject}`)).toEqual(expected);
  });

  describe('of the delegation', () => {
    const registry = 'a.registry.example';
    const delegating = (...to: readonly string[]) => ({ [registry]: { 'shop.example': { NS: to } } });
    const found = async (zoneNode: ZoneLiteral[string], servers: Parameters<typeof fakeAuthorities>[0]) => {
      const registered = { ...registries, example: { ...soa, NS: [registry] }, 'silent.example': soa };
      const hosts = { 'there.example': soa, '*.there.example': { A: ['192.0.2.1'] } };
      const answers = zone({ ...registered, ...hosts, 'shop.example': zoneNode });
      const network = { dns: answers, authorities: fakeAuthorities(servers) };
      const { findings } = await inspectServers(network, 'shop.example');
      return findings.map(({ id, subject }) => `${id} ${subject}`);
    };

    test('is found although the zone does not name it', async () => {
      const servers = {
        ...delegating(ns1, ns2, 'ns.gone.example', 'slow.there.example'),
        ...{ [ns1]: served, [ns2]: refusing },
      };
      expect(await found({ NS: [ns1] }, servers)).toEqual([
        `zone-server-lame ${ns2}`,
        'unowned-name-server ns.gone.example',
      ]);
    });

    test('is lame if its name does not exist, below a domain of somebody', async () => {
      const servers = { ...delegating(ns1, 'ns3.silent.example'), [ns1]: served };
      expect(await found({ NS: [ns1] }, servers)).toEqual(['zone-server-lame ns3.silent.example']);
    });

    test('is lame with all others if the zone is not found, and all say so', async () => {
      const both = delegating(ns1, ns2);
      const lame = ['zone-servers-lame shop.example'];
      expect(await found('SERVFAIL', { ...both, [ns1]: refusing, [ns2]: refusing })).toEqual(lame);
      expect(await found('SERVFAIL', { ...both, [ns1]: refusing, [ns2]: 'silent' })).toEqual([]);
      expect(await found('SERVFAIL', { [registry]: 'silent' })).toEqual([]);
      expect(await found('SERVFAIL', delegating('ns.gone.example'))).toEqual([
        'unowned-name-server ns.gone.example',
      ]);
    });
  });
});
