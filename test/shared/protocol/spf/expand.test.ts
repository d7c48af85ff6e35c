import { describe, expect, test } from '@jest/globals';
import { expand } from '../../../../shared/protocol/spf/expand.ts';
import type { Expansion } from '../../../../shared/protocol/spf/expansion.ts';
import { messageOf } from '../../../kit/findings.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';

const txt = (...texts: string[]): ZoneNode => ({ TXT: texts });

/** Expands the record of example.org in a zone that includes `others`. */
const expanded = (record: string, others: ZoneLiteral = {}) =>
  expand('example.org', zone({ 'example.org': txt(record), ...others }));

const ids = ({ findings }: Expansion) => findings.map(({ id }) => id);

describe('the status of a record', () => {
  test.each<[string, ZoneLiteral, Expansion['status']]>([
    ['valid', { 'example.org': txt('v=spf1 -all') }, 'valid'],
    ['valid with warnings', { 'example.org': txt('v=spf1 ptr ?all') }, 'valid'],
    ['absent', { 'example.org': txt('hello') }, 'no-record'],
    ['absent with the domain', {}, 'no-record'],
    ['unavailable', { 'example.org': 'SERVFAIL' }, 'unknown'],
    ['duplicate', { 'example.org': txt('v=spf1 -all', 'v=spf1 -all') }, 'invalid'],
    ['malformed', { 'example.org': txt('v=spf1 ipv4:192.0.2.1 -all') }, 'invalid'],
    [
      'with an include of a missing record',
      { 'example.org': txt('v=spf1 include:gone.example.org -all') },
      'invalid',
    ],
    [
      'with an include whose lookup failed',
      { 'example.org': txt('v=spf1 include:i.example.org -all'), 'i.example.org': 'TIMEOUT' },
      'unknown',
    ],
    [
      'with an include whose lookup failed, and invalid anyway',
      { 'example.org': txt('v=spf1 include:i.example.org x -all'), 'i.example.org': 'TIMEOUT' },
      'invalid',
    ],
    [
      'with a host whose lookup failed, which does not affect the record',
      { 'example.org': txt('v=spf1 a:h.example.org -all'), 'h.example.org': 'TIMEOUT' },
      'valid',
    ],
  ])('%s', async (_, literal, status) => {
    expect((await expand('example.org', zone(literal))).status).toBe(status);
  });
});

describe('lookups', () => {
  const others: ZoneLiteral = {
    'i.example.org': txt('v=spf1 a:h.example.org include:j.example.org exists:%{i}.x.example.org ~all'),
    'j.example.org': txt('v=spf1 ip4:192.0.2.0/24 mx:h.example.org redirect=k.example.org'),
    'k.example.org': txt('v=spf1 ptr -all'),
    'h.example.org': { A: ['192.0.2.1'], AAAA: ['2001:db8::1'], MX: [[1, 'h.example.org']] },
  };

  test('add up over the tree, each branch with its own count and a running total', async () => {
    const expansion = await expanded(
      'v=spf1 ip4:192.0.2.1 include:i.example.org a:h.example.org -all',
      others,
    );
    expect(expansion.totalLookupCount).toBe(8);
    expect(
      expansion.lookupBreakdown.map(({ domain, mechanism, depth, lookups, branchLookups, runningTotal }) =>
        [domain, mechanism, depth, lookups, branchLookups, runningTotal].join(' '),
      ),
    ).toEqual([
      'example.org include:i.example.org 0 1 7 1',
      'i.example.org a:h.example.org 1 1 1 2',
      'i.example.org include:j.example.org 1 1 4 3',
      'j.example.org mx:h.example.org 2 1 1 4',
      'j.example.org redirect=k.example.org 2 1 2 5',
      'k.example.org ptr 3 1 1 6',
      'i.example.org exists:%{i}.x.example.org 1 1 1 7',
      'example.org a:h.example.org 0 1 1 8',
    ]);
    expect(expansion.includeTree[0]).toMatchObject({
      domain: 'i.example.org',
      reachedBy: 'include',
      term: 1,
      lookups: 3,
      totalLookups: 6,
      children: [
        { domain: 'j.example.org', lookups: 2, children: [{ reachedBy: 'redirect', totalLookups: 1 }] },
      ],
    });
  });

  test.each([
    [7, []],
    [8, ['spf-many-lookups']],
    [10, ['spf-many-lookups']],
    [11, ['spf-too-many-lookups']],
  ])('raise findings, %d of them: %j', async (count, expected) => {
    const terms = Array.from({ length: count }, (_, index) => `a:h${index}.example.org`);
    const hosts = Object.fromEntries(terms.map((term) => [term.slice(2), others['h.example.org'] ?? {}]));
    const expansion = await expanded(`v=spf1 ${terms.join(' ')} -all`, hosts);
    expect(ids(expansion).filter((id) => id.endsWith('-lookups'))).toEqual(expected);
    expect(expansion.status).toBe(count > 10 ? 'invalid' : 'valid');
  });

  test('of terms that are never evaluated are not counted and not sent', async () => {
    const dns = zone({ 'example.org': txt('v=spf1 -all a include:i.example.org redirect=j.example.org') });
    const { totalLookupCount, mechanisms, lookupBreakdown } = await expand('example.org', dns);
    expect(totalLookupCount).toBe(0);
    expect(lookupBreakdown).toEqual([]);
    expect(mechanisms.map(({ ignored }) => ignored)).toEqual([
      undefined,
      'after-all',
      'after-all',
      'beside-all',
    ]);
    expect(dns.questions).toEqual(['example.org TXT']);
  });

  test('start as soon as their names are known, and equal ones are sent once', async () => {
    const dns = zone(
      {
        ...others,
        'example.org': txt('v=spf1 include:i.example.org include:j.example.org a:h.example.org -all'),
      },
      { delayMilliseconds: 5 },
    );
    await expand('example.org', dns);
    expect(dns.questions).toEqual([
      'example.org TXT',
      ...['i.example.org TXT', 'j.example.org TXT', 'h.example.org A', 'h.example.org AAAA'],
      ...['h.example.org MX', 'k.example.org TXT'],
    ]);
  });
});

describe('void lookups', () => {
  const hosts: ZoneLiteral = {
    'v4.example.org': { A: ['192.0.2.1'] },
    'v6.example.org': { AAAA: ['2001:db8::1'] },
  };

  test.each([
    [
      'count names that do not exist',
      'a:x1.example.org mx:x2.example.org',
      { ip4: 2, ip6: 2 },
      ['spf-void-lookup', 'spf-void-lookup'],
    ],
    [
      'count more than two of them',
      'a:x1.example.org mx:x2.example.org exists:x3.example.org',
      { ip4: 3, ip6: 3 },
      ['spf-too-many-void-lookups', 'spf-void-lookup', 'spf-void-lookup', 'spf-void-lookup'],
    ],
    [
      'ignore names with addresses of one family',
      'a:v4.example.org a:v6.example.org',
      { ip4: 1, ip6: 1 },
      [],
    ],
    [
      'ignore more than two names without IPv6',
      'a:v4.example.org a:v4.example.org/31 a:v4.example.org/30',
      { ip4: 0, ip6: 3 },
      ['spf-void-lookups-of-family'],
    ],
    [
      'exclude an include, which is an error instead',
      'include:gone.example.org',
      { ip4: 0, ip6: 0 },
      ['spf-no-record-behind'],
    ],
  ])('%s', async (_, terms, counts, findings) => {
    const expansion = await expanded(`v=spf1 ${terms} -all`, hosts);
    expect(expansion.voidLookupCount).toEqual(counts);
    expect(ids(expansion).filter((id) => id !== 'spf-overlap')).toEqual(findings);
  });
});

describe('each term is described', () => {
  test.each<[string, ZoneLiteral, object]>([
    [
      '-all',
      {},
      { kind: 'all', qualifier: '-', result: 'fail', lookups: 0, matches: [], state: 'not-asked' },
    ],
    [
      '~ip4:192.0.2.7/24',
      {},
      { kind: 'ip4', qualifier: '~', value: '192.0.2.7/24', matches: ['192.0.2.0/24'] },
    ],
    ['ip6:2001:DB8::1', {}, { kind: 'ip6', qualifier: '+', result: 'pass', matches: ['2001:db8::1'] }],
    [
      'a:h.%{d}/24//64',
      { 'h.example.org': { A: ['192.0.2.7'], AAAA: ['2001:db8::7'] } },
      {
        value: 'h.%{d}',
        domain: 'h.example.org',
        prefixLengths: { ip4: 24, ip6: 64 },
        matches: ['192.0.2.0/24', '2001:db8::/64'],
        state: 'found',
        dependsOnMessage: false,
      },
    ],
    [
      'mx:m.example.org',
      {
        'm.example.org': {
          MX: [
            [2, 'h.example.org'],
            [1, 'gone.example.org'],
          ],
        },
        'h.example.org': { A: ['192.0.2.7'] },
      },
      { matches: ['192.0.2.7'], deadHosts: ['gone.example.org'], state: 'found' },
    ],
    [
      'a:broken.example.org',
      { 'broken.example.org': { A: 'TIMEOUT', AAAA: ['::1'] } },
      {
        state: 'found',
        matches: ['::1'],
        unavailable: ['broken.example.org A'],
        failures: ['timeout'],
      },
    ],
    ['mx:gone.example.org', {}, { state: 'absent', matches: [], voidFor: [4, 6] }],
    [
      'exists:%{i}.x.example.org',
      {},
      { dependsOnMessage: true, domain: null, state: 'not-asked', lookups: 1 },
    ],
    [
      'include:%{l}._spf.google.com',
      {},
      { dependsOnMessage: true, provider: 'Google Workspace', lookups: 1 },
    ],
    ['exists:%{p}.x.example.org', {}, { dependsOnMessage: true, lookups: 2 }],
    [
      'include:%{o}.i.example.org',
      { 'example.org.i.example.org': txt('v=spf1 a -all') },
      {
        domain: 'example.org.i.example.org',
        lookups: 1,
        totalLookups: 2,
        state: 'found',
      },
    ],
    [
      'redirect=gone.example.org',
      {},
      { kind: 'redirect', qualifier: null, result: null, lookups: 1, state: 'absent' },
    ],
    ['exp=why.example.org', {}, { kind: 'exp', value: 'why.example.org', lookups: 0 }],
    ['later=soon', {}, { kind: 'unknown-modifier', value: 'soon' }],
    ['ip4:x', {}, { kind: 'invalid', fault: 'invalid-address', at: 7 }],
  ])('%s', async (term, others, expected) => {
    const { mechanisms } = await expanded(`v=spf1 ${term}`, others);
    expect(mechanisms).toHaveLength(1);
    expect(mechanisms[0]).toMatchObject({ text: term, ...expected });
  });
});

test.each([
  ['v=spf1 -all', '-all'],
  ['v=spf1 ALL', '+all'],
  ['v=spf1 ip4:192.0.2.1', null],
  ['v=spf1 redirect=r.example.org', '~all'],
  ['v=spf1 include:r.example.org', null],
  ['v=spf1 redirect=gone.example.org', null],
])('an unmatched client with %s gets the result of %s', async (record, policy) => {
  expect(
    (
      await expanded(record, {
        'r.example.org': txt('v=spf1 redirect=s.example.org'),
        's.example.org': txt('v=spf1 ~all'),
      })
    ).allPolicy,
  ).toBe(policy);
});

describe('findings', () => {
  const nowhere = 'v=spf1 -all';
  test.each<[string, string, ZoneLiteral, string[]]>([
    ['no finding', 'v=spf1 include:i.example.org ip4:192.0.2.1 -all', { 'i.example.org': txt(nowhere) }, []],
    ['+all', 'v=spf1 +all', {}, ['spf-pass-all']],
    [
      '+all in an include',
      'v=spf1 include:i.example.org -all',
      { 'i.example.org': txt('v=spf1 all') },
      ['spf-pass-all'],
    ],
    ['?all', 'v=spf1 ?all', {}, ['spf-neutral-all']],
    ['no all', 'v=spf1 ip4:192.0.2.1', {}, ['spf-no-all']],
    ['no terms', 'v=spf1', {}, ['spf-no-all']],
    ['no all, but a redirect', 'v=spf1 redirect=r.example.org', { 'r.example.org': txt(nowhere) }, []],
    ['ptr', 'v=spf1 ptr -all', {}, ['spf-ptr']],
    [
      'a loop',
      'v=spf1 include:i.example.org -all',
      { 'i.example.org': txt('v=spf1 include:EXAMPLE.org -all') },
      ['spf-loop'],
    ],
    ['a loop of one', 'v=spf1 redirect=example.org', {}, ['spf-loop']],
    ['terms after all', 'v=spf1 -all mx', {}, ['spf-term-after-all']],
    ['an all after all', 'v=spf1 ~all -all', {}, ['spf-term-after-all']],
    ['a redirect beside all', 'v=spf1 redirect=gone.example.org -all', {}, ['spf-redirect-beside-all']],
    ['the same term twice', 'v=spf1 ip4:192.0.2.1 IP4:192.0.2.1/32 -all', {}, ['spf-duplicate-term']],
    [
      'the same mechanism with another qualifier',
      'v=spf1 ip4:192.0.2.1 ~ip4:192.0.2.1 -all',
      {},
      ['spf-duplicate-term'],
    ],
    [
      'the same record by two ways',
      'v=spf1 include:i.example.org include:j.example.org -all',
      {
        'i.example.org': txt('v=spf1 include:j.example.org -all'),
        'j.example.org': txt(nowhere),
      },
      ['spf-repeated-include'],
    ],
    [
      'several records for an include',
      'v=spf1 include:i.example.org -all',
      { 'i.example.org': txt(nowhere, nowhere) },
      ['spf-multiple-records'],
    ],
    [
      'more than ten MX names',
      'v=spf1 mx:m.example.org -all',
      {
        'm.example.org': {
          MX: Array.from({ length: 11 }, (_, index) => [index, `h${index}.example.org`] as const),
        },
      },
      ['spf-too-many-mx-names'],
    ],
    [
      'MX hosts without an address',
      'v=spf1 mx:m.example.org -all',
      { 'm.example.org': { MX: [[1, 'h.example.org']] } },
      ['spf-dead-mx-hosts'],
    ],
    [
      'a record that is too long',
      `v=spf1 ${Array.from({ length: 30 }, (_, index) => `ip4:198.51.100.${index * 2 + 1}`).join(' ')} -all`,
      {},
      ['spf-record-too-long'],
    ],
    [
      'a long record of another domain',
      'v=spf1 include:i.example.net -all',
      {
        'i.example.net': txt(
          `v=spf1 ${Array.from({ length: 30 }, (_, index) => `ip4:198.51.100.${index * 2 + 1}`).join(' ')} -all`,
        ),
      },
      [],
    ],
    ['a very wide range', 'v=spf1 ip4:172.0.0.0/15 -all', {}, ['spf-wide-range']],
    [
      'a wide range of a large service',
      'v=spf1 include:i.example.net -all',
      { 'i.example.net': txt('v=spf1 ip4:52.100.0.0/14 -all') },
      [],
    ],
    [
      'an extremely wide range of a service',
      'v=spf1 include:i.example.net -all',
      { 'i.example.net': txt('v=spf1 ip4:52.0.0.0/6 -all') },
      ['spf-wide-range'],
    ],
    ['a private range', 'v=spf1 ip4:192.168.1.0/24 -all', {}, ['spf-special-range']],
    ['a range within another one', 'v=spf1 ip4:192.0.2.0/24 ip4:192.0.2.7 -all', {}, ['spf-overlap']],
    [
      'a range within one of a service',
      'v=spf1 ip4:192.0.2.7 include:i.example.net -all',
      { 'i.example.net': txt('v=spf1 ip4:192.0.2.0/24 -all') },
      ['spf-overlap'],
    ],
    ['a denied address within a range', 'v=spf1 -ip4:192.0.2.7 ip4:192.0.2.0/24 -all', {}, []],
    ['a denied wide range', 'v=spf1 -ip4:0.0.0.0/1 ip4:192.0.2.0/24 -all', {}, []],
    [
      'an include of an invalid name',
      `v=spf1 include:${'a'.repeat(64)}.org -all`,
      {},
      ['spf-no-record-behind'],
    ],
    [
      'a finding of a record that is reached twice',
      'v=spf1 include:i.example.org include:i.example.org. -all',
      { 'i.example.org': txt('v=spf1 ptr') },
      ['spf-duplicate-term', 'spf-ptr', 'spf-repeated-include'],
    ],
    [
      'overlaps among others',
      'v=spf1 include:i.example.net -all',
      { 'i.example.net': txt('v=spf1 ip4:192.0.2.0/24 ip4:192.0.2.7 -all') },
      [],
    ],
    ['bits beyond the prefix', 'v=spf1 ip4:192.0.2.7/24 -all', {}, ['spf-bits-beyond-prefix']],
    [
      'a mechanism written as a modifier',
      'v=spf1 include=i.example.org -all',
      {},
      ['spf-mechanism-as-modifier'],
    ],
    ['an unknown modifier', 'v=spf1 later=soon -all', {}, ['spf-unknown-modifier']],
    ['two records in one', 'v=spf1 v=spf1 -all', {}, ['spf-merged-records']],
    ['message-dependent macros', 'v=spf1 exists:%{i}.x.example.org -all', {}, ['spf-depends-on-message']],
    [
      'exists without macros',
      'v=spf1 exists:h.example.org -all',
      { 'h.example.org': { A: ['192.0.2.1'] } },
      ['spf-exists-for-everyone'],
    ],
    [
      'a failed lookup',
      'v=spf1 a:h.example.org include:i.example.org -all',
      {
        'h.example.org': { A: 'TIMEOUT' },
        'i.example.org': 'SERVFAIL',
      },
      ['spf-lookup-unavailable', 'spf-addresses-unavailable'],
    ],
    ['an invalid term', 'v=spf1 ipv4:192.0.2.1 -all', {}, ['spf-syntax']],
  ])('%s', async (_, record, others, expected) => {
    expect(ids(await expanded(record, others))).toEqual(expected);
  });

  test('failed lookups with the reason, also of results without one', async () => {
    const { findings } = await expanded('v=spf1 a:h.example.org include:i.example.org -all', {
      'h.example.org': { A: 'TIMEOUT' },
      'i.example.org': 'SERVFAIL',
    });
    expect(findings.map(messageOf)).toEqual([
      expect.stringMatching(/^The DNS lookup for i\.example\.org TXT failed \(server-failure\), so /),
      expect.stringMatching(/^The DNS lookup for h\.example\.org A failed \(timeout\), so /),
    ]);
    const stored = findings.map((finding) => ({ ...finding, arguments: { question: 'h.example.org A' } }));
    for (const message of stored.map(messageOf)) expect(message).toMatch(/h\.example\.org A failed, so /);
  });

  const host = { A: ['192.0.2.1'] };
  test.each<[string, string, ZoneLiteral, string[]]>([
    [
      'equal text',
      'mx:m.example.org mx:m.example.org',
      {},
      ['Duplicate mechanism: the SPF record of example.org contains "mx:m.example.org" more than once.'],
    ],
    [
      'another qualifier',
      'ip4:192.0.2.1 ~ip4:192.0.2.1',
      {},
      ['Duplicate mechanism: "~ip4:192.0.2.1" in', 'the earlier "ip4:192.0.2.1" matches the same hosts'],
    ],
    [
      'another case and a trailing dot',
      'a:h.example.org a:H.example.ORG.',
      { 'h.example.org': host },
      ['the earlier "a:h.example.org" matches'],
    ],
    [
      'the implicit domain',
      'a a:example.org',
      { 'example.org': host },
      ['"a:example.org" in', 'the earlier "a" matches the same hosts'],
    ],
    [
      'the same macro',
      'exists:%{i}.x.org exists:%{i}.x.org',
      {},
      ['contains "exists:%{i}.x.org" more than once'],
    ],
    [
      'an unknown modifier',
      'x=1 x=1',
      {},
      ['Duplicate modifier: the SPF record of example.org contains "x=1"'],
    ],
  ])('duplicates are reported as such: %s', async (_, terms, { 'example.org': own, ...others }, parts) => {
    const record = `v=spf1 ${terms} -all`;
    const published = { ...others, 'example.org': { ...(own as object), ...txt(record) } };
    const { findings } = await expand('example.org', zone(published));
    const messages = findings.filter(({ id }) => id === 'spf-duplicate-term').map(messageOf);
    expect(messages).toHaveLength(1);
    for (const part of parts) expect(messages[0]).toContain(part);
  });

  test.each([
    ['prefix lengths', 'a:h.example.org a:h.example.org/24'],
    ['macros whose case matters', 'exists:%{s}.x.org exists:%{S}.x.org'],
    ['terms after all', 'all ip4:192.0.2.1 ip4:192.0.2.1'],
  ])('terms with different %s are not duplicates', async (_, terms) => {
    expect(ids(await expanded(`v=spf1 ${terms} -all`))).not.toContain('spf-duplicate-term');
  });

  test('of two terms for the same range the later one is reported', async () => {
    const { findings } = await expanded('v=spf1 a:h.example.org ip4:192.0.2.1 -all', {
      'h.example.org': host,
    });
    expect(findings.map(messageOf)).toEqual([
      'Redundant: 192.0.2.1, authorized by "ip4:192.0.2.1" in the SPF record of example.org, is already authorized by "a:h.example.org" in the SPF record of example.org.',
    ]);
  });

  test('a redundant term with the same text is reported with both records', async () => {
    const { findings } = await expanded('v=spf1 include:i.example.org ip4:192.0.2.1 -all', {
      'i.example.org': txt('v=spf1 ip4:192.0.2.1 -all'),
    });
    expect(findings.map(messageOf)).toEqual([
      'Redundant: 192.0.2.1, authorized by "ip4:192.0.2.1" in the SPF record of example.org, is already authorized by "ip4:192.0.2.1" in the SPF record of i.example.org.',
    ]);
  });

  test('a single lookup is counted in the singular', async () => {
    const { findings } = await expanded('v=spf1 include:i.example.org include:i.example.org -all', {
      'i.example.org': txt('v=spf1 ip4:192.0.2.1 -all'),
    });
    expect(findings.map(messageOf)).toContain(
      'The SPF record of i.example.org is included 2 times, at 1 DNS lookup each.',
    );
  });

  test('a text that resembles a record is named', async () => {
    const expansion = await expand(
      'example.org',
      zone({ 'example.org': txt('"v=spf1 -all"', 'v=spf1\t-all') }),
    );
    expect(ids(expansion)).toEqual(['spf-missing', 'spf-lookalike', 'spf-lookalike']);
    expect(expansion).toMatchObject({
      record: null,
      version: null,
      recordLength: 0,
      allPolicy: null,
      mechanisms: [],
    });
  });

  test('show untrusted text in printable form only', async () => {
    const { findings } = await expanded(`v=spf1 ip4:\u001b[31m${'x'.repeat(500)} -all`);
    expect(messageOf(findings[0])).toMatch(/^[\x20-\x7e]{1,250}$/);
  });
});

describe('a failed lookup', () => {
  test('is reported, and does not affect the other terms', async () => {
    const expansion = await expanded(
      'v=spf1 include:i.example.org mx:m.example.org include:j.example.org -all',
      {
        'i.example.org': 'SERVFAIL',
        'j.example.org': txt('v=spf1 ip4:192.0.2.1 -all'),
        'm.example.org': {
          MX: [
            [1, 'h.example.org'],
            [2, 'g.example.org'],
          ],
        },
        'h.example.org': { A: ['192.0.2.2'], AAAA: 'TIMEOUT' },
        'g.example.org': 'TIMEOUT',
      },
    );
    expect(expansion.unknown).toEqual([
      'h.example.org AAAA',
      'g.example.org A',
      'g.example.org AAAA',
      'i.example.org TXT',
    ]);
    expect(expansion.flattenedIps).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(expansion.totalLookupCount).toBe(3);
    expect(expansion.flattened.kept).toEqual(['include:i.example.org', 'mx:m.example.org']);
  });
});

describe('every expansion is bounded', () => {
  /** Every record includes the next one twice: two to the power of the depth. */
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}.example.org`,
      txt(`v=spf1 include:d${index + 1}.example.org include:D${index + 1}.example.org -all`),
    ]),
  );

  test.each<[string, string, ZoneLiteral, string]>([
    ['includes that double at every level', 'v=spf1 include:d0.example.org -all', doubling, 'records'],
    [
      'endless new names',
      'v=spf1 include:%{d}.%{d} -all',
      { '*.example.org': txt('v=spf1 include:a.%{d} -all') },
      'records',
    ],
    ['thousands of terms', `v=spf1 ${'ip4:192.0.2.1 '.repeat(2000)}-all`, {}, 'terms'],
    [
      'thousands of hosts',
      `v=spf1 ${Array.from({ length: 480 }, (_, index) => `a:h${index}.example.org`).join(' ')} -all`,
      {},
      'questions',
    ],
    [
      'endless responses',
      'v=spf1 a:h.example.org -all',
      { 'h.example.org': { A: Array.from({ length: 5000 }, () => '192.0.2.1') } },
      'octets',
    ],
  ])('with %s', async (_, record, others, limit) => {
    const start = performance.now();
    const expansion = await expanded(record, others);
    expect(performance.now() - start).toBeLessThan(8_000);
    expect(expansion.findings).toContainEqual(
      expect.objectContaining({ id: 'spf-expansion-cut', subject: limit }),
    );
    expect(expansion.status).not.toBe('valid');
    expect(expansion.flattened.records).toEqual([]);
    expect(JSON.stringify(expansion).length).toBeLessThan(400_000);
  });

  test('no lookup starts after the time limit', async () => {
    let time = 0;
    const dns = zone({ '*.example.org': txt('v=spf1 include:a.%{d} -all') });
    const expansion = await expand('a.example.org', dns, {
      now: () => (time += 1000),
      limits: { milliseconds: 5500 },
    });
    expect(dns.questions).toHaveLength(5);
    expect(expansion.status).toBe('unknown');
    expect(ids(expansion)).toContain('spf-expansion-cut');
  });
});

test('the expansion can be serialized as JSON', async () => {
  const expansion = await expanded(
    'v=spf1 a/24//64 mx include:i.example.org exists:%{i}.x ip4:x redirect=y.example.org ?all',
  );
  expect(JSON.parse(JSON.stringify(expansion))).toEqual(expansion);
});
