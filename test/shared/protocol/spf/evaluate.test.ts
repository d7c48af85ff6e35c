import { describe, expect, test } from '@jest/globals';
import { evaluate, type SpfRequest } from '../../../../shared/protocol/spf/evaluate.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../kit/zone.ts';

const request: SpfRequest = {
  ip: '192.0.2.1',
  mailFrom: 'jo@example.org',
  helo: 'mx.example.org',
  now: new Date('2026-01-01T00:00:00Z'),
};

/** A case: its title, the record of example.org, other records in DNS, the result, and other options. */
type Case = readonly [
  title: string,
  record: string | ZoneNode | 'SERVFAIL' | 'TIMEOUT',
  others: ZoneLiteral,
  result: string,
  options?: Partial<SpfRequest>,
];

const run = ([, record, others, , options]: Case) =>
  evaluate(
    { ...request, ...options },
    zone({ 'example.org': isRecord(record) ? { TXT: [record] } : record, ...others }),
  );

function isRecord(record: Case[1]): record is string {
  return typeof record === 'string' && /^v=/i.test(record);
}

function each(title: string, cases: readonly Case[]): void {
  describe(title, () => {
    for (const one of cases) {
      test(`${one[0]}: ${one[3]}`, async () => {
        const { result } = await run(one);
        expect(result).toBe(one[3]);
      });
    }
  });
}

const address = { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] };
const chain = (length: number, last: string): ZoneLiteral =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `i${index}.example.org`,
      { TXT: [index + 1 < length ? `v=spf1 include:i${index + 1}.example.org -all` : last] },
    ]),
  );

each('requests without a result (RFC 7208 sections 4.3 to 4.5)', [
  ['a domain without TXT records', {}, {}, 'none'],
  ['a domain that does not exist', {}, {}, 'none', { mailFrom: 'jo@gone.example' }],
  [
    'TXT records that are not SPF records',
    { TXT: ['v=spf10 -all', 'v=spf1-all', ' v=spf1 -all'] },
    {},
    'none',
  ],
  ['a label of 64 characters', 'v=spf1 +all', {}, 'none', { mailFrom: `jo@${'a'.repeat(64)}.org` }],
  ['an empty label', 'v=spf1 +all', {}, 'none', { mailFrom: 'jo@example..org' }],
  [
    'a single-label name',
    'v=spf1 +all',
    { localhost: { TXT: ['v=spf1 +all'] } },
    'none',
    { mailFrom: 'jo@localhost' },
  ],
  ['an address literal', 'v=spf1 +all', {}, 'none', { mailFrom: 'jo@[192.0.2.1]' }],
  ['an invalid client address', 'v=spf1 +all', {}, 'none', { ip: '192.0.2.999' }],
  ['a name server that fails', 'SERVFAIL', {}, 'temperror'],
  ['a name server that does not respond', 'TIMEOUT', {}, 'temperror'],
  ['two records', { TXT: ['v=spf1 +all', 'v=spf1 +all'] }, {}, 'permerror'],
  ['a record beside other TXT records', { TXT: ['spf', 'v=spf1 +all', 'v=spf10'] }, {}, 'pass'],
  ['strings are joined without a space', { TXT: [['v=spf1 ip4:192.', '0.2.1 -all']] }, {}, 'pass'],
  ['strings are joined without a space after the version', { TXT: [['v=spf1', '-all']] }, {}, 'none'],
  ['names and version in any case', 'V=sPf1 IP4:192.0.2.1 -ALL', {}, 'pass'],
]);

each('the checked identity (RFC 7208 sections 2.4 and 4.3)', [
  [
    'a bounce is checked for postmaster at the HELO name',
    'v=spf1 -all',
    {
      'mx.example.org': { TXT: ['v=spf1 exists:%{l}.%{o} -all'] },
      'postmaster.mx.example.org': address,
    },
    'pass',
    { mailFrom: '' },
  ],
  [
    'a sender without a local part is postmaster',
    'v=spf1 exists:%{l}.example.org -all',
    {
      'postmaster.example.org': address,
    },
    'pass',
    { mailFrom: '@example.org' },
  ],
  [
    'only the last @ separates the local part',
    'v=spf1 exists:%{l}.example.org -all',
    { 'a@b.example.org': address },
    'pass',
    { mailFrom: 'a@b@example.org' },
  ],
  [
    'another domain can be evaluated',
    'v=spf1 -all',
    { 'other.example': { TXT: ['v=spf1 +all'] } },
    'pass',
    {
      domain: 'other.example',
    },
  ],
  [
    'U-labels are looked up as A-labels',
    'v=spf1 -all',
    { 'xn--bcher-kva.example': { TXT: ['v=spf1 +all'] } },
    'pass',
    {
      mailFrom: 'jo@bücher.example',
    },
  ],
]);

each('order and qualifiers (RFC 7208 section 4.6)', [
  ['the first match decides', 'v=spf1 ?ip4:192.0.2.1 -ip4:192.0.2.0/24 +all', {}, 'neutral'],
  ['softfail', 'v=spf1 ~all', {}, 'softfail'],
  ['no match and no all', 'v=spf1 ip4:192.0.2.9', {}, 'neutral'],
  ['an empty record', 'v=spf1', {}, 'neutral'],
  [
    'an invalid term after a match still causes a permerror',
    'v=spf1 ip4:192.0.2.1 -all nonsense',
    {},
    'permerror',
  ],
  ['an unknown modifier is ignored', 'v=spf1 later=x ip4:192.0.2.1 -all', {}, 'pass'],
  [
    'an unknown modifier with a broken macro is not ignored',
    'v=spf1 later=%x ip4:192.0.2.1 -all',
    {},
    'permerror',
  ],
  [
    'terms after all are not looked up',
    'v=spf1 -all a:broken.example.org',
    { 'broken.example.org': 'SERVFAIL' },
    'fail',
  ],
]);

each('ip4 and ip6 (RFC 7208 section 5.6)', [
  ['a prefix', 'v=spf1 ip4:192.0.2.128/24 -all', {}, 'pass'],
  ['every address', 'v=spf1 ip4:0.0.0.0/0 -all', {}, 'pass'],
  ['an IPv6 prefix', 'v=spf1 ip6:2001:db8::/32 -all', {}, 'pass', { ip: '2001:db8:1::1' }],
  ['ip4 never matches an IPv6 client', 'v=spf1 ip4:0.0.0.0/0 -all', {}, 'fail', { ip: '2001:db8::1' }],
  [
    'an IPv4-mapped client is an IPv4 client',
    'v=spf1 ip4:192.0.2.1 -all',
    {},
    'pass',
    { ip: '::ffff:192.0.2.1' },
  ],
  ['an IPv4-mapped range matches no IPv4 client', 'v=spf1 ip6:::ffff:192.0.2.1 -all', {}, 'fail'],
]);

each('a and mx (RFC 7208 sections 5.3 and 5.4)', [
  ['the domain itself', { TXT: ['v=spf1 a -all'], A: ['192.0.2.1'] }, {}, 'pass'],
  [
    'an IPv6 client is compared with AAAA records',
    'v=spf1 a:h.example.org -all',
    { 'h.example.org': address },
    'pass',
    {
      ip: '2001:db8::1',
    },
  ],
  [
    'each family has its own prefix length',
    'v=spf1 a:h.example.org/24//128 -all',
    { 'h.example.org': address },
    'fail',
    {
      ip: '2001:db8::2',
    },
  ],
  [
    'more than ten addresses',
    'v=spf1 a:h.example.org -all',
    {
      'h.example.org': { A: Array.from({ length: 40 }, (_, index) => `192.0.2.${40 - index}`) },
    },
    'pass',
  ],
  [
    'a CNAME',
    'v=spf1 a:www.example.org -all',
    { 'www.example.org': { CNAME: ['h.example.org'] }, 'h.example.org': address },
    'pass',
  ],
  [
    'a failed address lookup',
    'v=spf1 a:broken.example.org +all',
    { 'broken.example.org': 'SERVFAIL' },
    'temperror',
  ],
  ['a name with an empty label matches nothing', 'v=spf1 a:h..example.org +all', {}, 'pass'],
  ['a label of 64 characters matches nothing', `v=spf1 -a:${'a'.repeat(64)}.example.org +all`, {}, 'pass'],
  [
    'mx',
    'v=spf1 mx:m.example.org -all',
    { 'm.example.org': { MX: [[10, 'h.example.org']] }, 'h.example.org': address },
    'pass',
  ],
  ['a missing MX does not fall back to A', { TXT: ['v=spf1 mx -all'], A: ['192.0.2.1'] }, {}, 'fail'],
  ['a null MX', { TXT: ['v=spf1 mx -all'], MX: [[0, '.']] }, {}, 'fail'],
  [
    'MX hosts without an address are not void lookups',
    {
      TXT: ['v=spf1 mx -all'],
      MX: [1, 2, 3, 4].map((n) => [n, n < 4 ? `gone${n}.example.org` : 'h.example.org'] as const),
    },
    { 'h.example.org': address },
    'pass',
  ],
  [
    'ten MX names',
    { TXT: ['v=spf1 mx -all'], MX: Array.from({ length: 10 }, () => [1, 'h.example.org'] as const) },
    { 'h.example.org': address },
    'pass',
  ],
  [
    'eleven MX names',
    { TXT: ['v=spf1 mx -all'], MX: Array.from({ length: 11 }, () => [1, 'h.example.org'] as const) },
    { 'h.example.org': address },
    'permerror',
  ],
]);

each('include (RFC 7208 section 5.2)', [
  [
    'pass matches',
    'v=spf1 ~include:i.example.org -all',
    { 'i.example.org': { TXT: ['v=spf1 +all'] } },
    'softfail',
  ],
  [
    'fail does not',
    'v=spf1 include:i.example.org ~all',
    { 'i.example.org': { TXT: ['v=spf1 -all'] } },
    'softfail',
  ],
  [
    'softfail does not',
    'v=spf1 include:i.example.org -all',
    { 'i.example.org': { TXT: ['v=spf1 ~all'] } },
    'fail',
  ],
  ['neutral does not', 'v=spf1 include:i.example.org -all', { 'i.example.org': { TXT: ['v=spf1'] } }, 'fail'],
  [
    'a permerror is returned',
    'v=spf1 include:i.example.org +all',
    { 'i.example.org': { TXT: ['v=spf1 x'] } },
    'permerror',
  ],
  [
    'a temperror is returned',
    'v=spf1 include:i.example.org +all',
    { 'i.example.org': 'TIMEOUT' },
    'temperror',
  ],
  ['a domain without a record causes a permerror', 'v=spf1 include:gone.example.org +all', {}, 'permerror'],
  [
    '%{d} is the domain of the included record',
    'v=spf1 include:i.example.org -all',
    {
      'i.example.org': { TXT: ['v=spf1 a:h.%{d} -all'] },
      'h.i.example.org': address,
    },
    'pass',
  ],
]);

each('redirect (RFC 7208 section 6.1)', [
  [
    'takes the result of its target',
    'v=spf1 redirect=r.example.org',
    { 'r.example.org': { TXT: ['v=spf1 ~all'] } },
    'softfail',
  ],
  [
    'is evaluated after every mechanism, wherever it is',
    'v=spf1 redirect=r.example.org ip4:192.0.2.1',
    { 'r.example.org': { TXT: ['v=spf1 -all'] } },
    'pass',
  ],
  ['is ignored beside all', 'v=spf1 redirect=gone.example.org ~all', {}, 'softfail'],
  ['to a domain without a record causes a permerror', 'v=spf1 redirect=gone.example.org', {}, 'permerror'],
  ['to itself ends at the lookup limit', 'v=spf1 redirect=example.org', {}, 'permerror'],
]);

each('exists (RFC 7208 section 5.7)', [
  [
    'matches any address',
    'v=spf1 exists:%{i}.%{l}.list.example.org -all',
    { '192.0.2.1.jo.list.example.org': { A: ['127.0.0.2'] } },
    'pass',
  ],
  [
    'queries A even for IPv6 clients',
    'v=spf1 exists:x.example.org -all',
    { 'x.example.org': { AAAA: ['::1'] } },
    'fail',
    { ip: '2001:db8::1' },
  ],
  ['with a failed lookup', 'v=spf1 exists:x.example.org +all', { 'x.example.org': 'SERVFAIL' }, 'temperror'],
]);

const reverse = '1.2.0.192.in-addr.arpa';
each('ptr (RFC 7208 section 5.5)', [
  [
    'a name below the domain that resolves back',
    'v=spf1 ptr -all',
    { [reverse]: { PTR: ['h.example.org'] }, 'h.example.org': address },
    'pass',
  ],
  [
    'a name that only has the same ending',
    'v=spf1 ptr -all',
    { [reverse]: { PTR: ['h.anexample.org'] }, 'h.anexample.org': address },
    'fail',
  ],
  [
    'a name that does not resolve back',
    'v=spf1 ptr -all',
    { [reverse]: { PTR: ['h.example.org'] }, 'h.example.org': { A: ['192.0.2.2'] } },
    'fail',
  ],
  [
    'only ten names are checked',
    'v=spf1 ptr -all',
    {
      [reverse]: {
        PTR: [...Array.from({ length: 10 }, (_, index) => `x${index}.example.net`), 'y.example.org'],
      },
      'y.example.org': address,
    },
    'fail',
  ],
  [
    'a name with a failed lookup is skipped',
    'v=spf1 ptr -all',
    {
      [reverse]: { PTR: ['broken.example.org', 'h.example.org'] },
      'broken.example.org': 'SERVFAIL',
      'h.example.org': address,
    },
    'pass',
  ],
  ['a failed PTR lookup matches nothing', 'v=spf1 ptr -all', { [reverse]: 'SERVFAIL' }, 'fail'],
  [
    'another domain',
    'v=spf1 ptr:Example.NET -all',
    { [reverse]: { PTR: ['H.example.net'] }, 'h.example.net': address },
    'pass',
  ],
  [
    '%{p} prefers the domain, then names below it',
    'v=spf1 exists:%{p}.ok.example.org -all',
    {
      [reverse]: { PTR: ['h.example.net', 'h.example.org'] },
      'h.example.net': address,
      'h.example.org': address,
      'h.example.org.ok.example.org': address,
    },
    'pass',
  ],
  [
    '%{p} without a name is unknown',
    'v=spf1 exists:%{p}.ok.example.org -all',
    { 'unknown.ok.example.org': address },
    'pass',
  ],
]);

const many = (count: number, term: string) => Array.from({ length: count }, () => term).join(' ');
const own = { A: ['198.51.100.1'], MX: [[10, 'example.org']] as const };
each('processing limits (RFC 7208 section 4.6.4)', [
  ['ten terms', { ...own, TXT: [`v=spf1 ${many(5, 'a mx')} ip4:192.0.2.1 -all`] }, {}, 'pass'],
  ['eleven terms', { ...own, TXT: [`v=spf1 ${many(5, 'a mx')} a ip4:192.0.2.1 -all`] }, {}, 'permerror'],
  [
    'terms after a match are not counted',
    { ...own, TXT: [`v=spf1 ip4:192.0.2.1 ${many(11, 'a')}`] },
    {},
    'pass',
  ],
  ['ten includes in a chain', 'v=spf1 include:i0.example.org -all', chain(10, 'v=spf1 +all'), 'pass'],
  ['eleven includes in a chain', 'v=spf1 include:i0.example.org -all', chain(11, 'v=spf1 +all'), 'permerror'],
  ['an include of itself', 'v=spf1 include:example.org -all', {}, 'permerror'],
  [
    'ip4, all and exp are not counted',
    { ...own, TXT: [`v=spf1 ${many(10, 'a')} ${many(20, 'ip4:192.0.2.9')} exp=x.example.org -all`] },
    {},
    'fail',
  ],
  [
    '%{p} counts as one more',
    { ...own, TXT: [`v=spf1 ${many(9, 'a')} exists:%{p}.example.org -all`] },
    {},
    'permerror',
  ],
  ['two void lookups', 'v=spf1 a:x1.example.org exists:x2.example.org +all', {}, 'pass'],
  [
    'three void lookups',
    'v=spf1 a:x1.example.org exists:x2.example.org mx:x3.example.org +all',
    {},
    'permerror',
  ],
  [
    'a no-data response is void too',
    'v=spf1 mx:h.example.org mx:h.example.org mx:h.example.org +all',
    { 'h.example.org': address },
    'permerror',
  ],
  [
    'a name with addresses of the other family is void',
    `v=spf1 ${many(3, 'a:h.example.org')} +all`,
    { 'h.example.org': { AAAA: ['2001:db8::1'] } },
    'permerror',
  ],
]);

describe('explanations (RFC 7208 section 6.2)', () => {
  const explain = async (record: string, others: ZoneLiteral, options: Partial<SpfRequest> = {}) =>
    (await run(['', record, others, '', options])).explanation;

  test.each<[string, string, ZoneLiteral, string | undefined]>([
    [
      'expand their macros',
      'v=spf1 -all exp=why.%{d}',
      {
        'why.example.org': { TXT: ['%{i} is not one of %{d2}, asks %{r}; see http://%{d}/?s=%{S}'] },
      },
      '192.0.2.1 is not one of example.org, asks unknown; see http://example.org/?s=jo%40example.org',
    ],
    [
      'join strings without spaces',
      'v=spf1 -all exp=why.example.org',
      { 'why.example.org': { TXT: [['No', 'no']] } },
      'Nono',
    ],
    [
      'are for fail only',
      'v=spf1 ~all exp=why.example.org',
      { 'why.example.org': { TXT: ['No'] } },
      undefined,
    ],
    [
      'come from the target of a redirect',
      'v=spf1 exp=own.example.org redirect=r.example.org',
      {
        'r.example.org': { TXT: ['v=spf1 -all exp=why.%{d}'] },
        'why.r.example.org': { TXT: ['%{d} says no'] },
        'own.example.org': { TXT: ['Own'] },
      },
      'r.example.org says no',
    ],
    [
      'are none if only the redirecting record has one',
      'v=spf1 exp=own.example.org redirect=r.example.org',
      {
        'r.example.org': { TXT: ['v=spf1 -all'] },
        'own.example.org': { TXT: ['Own'] },
      },
      undefined,
    ],
    [
      'never come from an include',
      'v=spf1 include:i.example.org -all exp=own.example.org',
      {
        'i.example.org': { TXT: ['v=spf1 -all exp=its.example.org'] },
        'its.example.org': { TXT: ['Its'] },
        'own.example.org': { TXT: ['Own'] },
      },
      'Own',
    ],
    [
      'are none without a TXT record',
      'v=spf1 -all exp=why.example.org',
      { 'why.example.org': address },
      undefined,
    ],
    [
      'are none with two TXT records',
      'v=spf1 -all exp=why.example.org',
      { 'why.example.org': { TXT: ['No', 'Never'] } },
      undefined,
    ],
    [
      'are none if the DNS lookup fails',
      'v=spf1 -all exp=why.example.org',
      { 'why.example.org': 'SERVFAIL' },
      undefined,
    ],
    [
      'are none with non-ASCII characters',
      'v=spf1 -all exp=why.example.org',
      { 'why.example.org': { TXT: ['Größe'] } },
      undefined,
    ],
    [
      'are none with a broken macro',
      'v=spf1 -all exp=why.example.org',
      { 'why.example.org': { TXT: ['The %{x} files'] } },
      undefined,
    ],
    [
      'are none with a line break',
      'v=spf1 -all exp=why.example.org',
      { 'why.example.org': { TXT: ['a\r\nb'] } },
      undefined,
    ],
  ])('%s', async (_, record, others, expected) => {
    expect(await explain(record, others)).toBe(expected);
  });

  test('a name over 253 characters loses labels on the left', async () => {
    const label = 'a'.repeat(60);
    const tail = Array.from({ length: 3 }, () => label).join('.');
    const mailFrom = `${label}.${label}.${label}@example.org`;
    const others = { [`${tail}.why.example.org`]: { TXT: ['Long'] } };
    expect(await explain(`v=spf1 -all exp=${label}.%{l}.why.example.org`, others, { mailFrom })).toBe('Long');
  });
});

test('a void lookup for exp is not counted, and lookups for explanations are not limited', async () => {
  const { result, lookups, voidLookups } = await run([
    '',
    'v=spf1 a:x1.example.org a:x2.example.org exp=gone.%{p}.example.org -all',
    {},
    '',
  ]);
  expect({ result, lookups }).toEqual({ result: 'fail', lookups: 2 });
  expect(voidLookups).toBe(2);
});

describe('the evaluation explains its result', () => {
  test('with the matching term and its record', async () => {
    const evaluation = await run([
      '',
      'v=spf1 redirect=r.example.org',
      {
        'r.example.org': { TXT: ['v=spf1 a:gone.example.org +IP4:192.0.2.0/24 -all'] },
      },
      '',
    ]);
    expect(evaluation).toEqual({
      result: 'pass',
      domain: 'example.org',
      lookups: 2,
      voidLookups: 1,
      matched: { domain: 'r.example.org', term: '+IP4:192.0.2.0/24' },
    });
  });

  test.each<[string, string, ZoneLiteral, object]>([
    [
      'with an invalid term',
      'v=spf1 include:i.example.org',
      { 'i.example.org': { TXT: ['v=spf1 ip4:x'] } },
      {
        kind: 'syntax',
        domain: 'i.example.org',
        term: 'ip4:x',
      },
    ],
    [
      'with several records',
      'v=spf1 include:i.example.org',
      { 'i.example.org': { TXT: ['v=spf1', 'v=spf1'] } },
      {
        kind: 'multiple-records',
        domain: 'i.example.org',
      },
    ],
    [
      'with an include of a missing record',
      'v=spf1 include:i.example.org',
      {},
      {
        kind: 'no-record',
        domain: 'example.org',
        term: 'include:i.example.org',
      },
    ],
    [
      'with a failed lookup',
      'v=spf1 mx',
      { 'example.org': { TXT: ['v=spf1 mx'], MX: 'TIMEOUT' } },
      {
        kind: 'unavailable',
        domain: 'example.org',
        term: 'mx',
      },
    ],
  ])('%s', async (_, record, others, problem) => {
    expect((await run(['', record, others, ''])).problem).toEqual(problem);
  });
});

test('lookups that the result does not need are not sent', async () => {
  const dns = zone({ 'example.org': { TXT: ['v=spf1 a:h.example.org mx -all'] }, 'h.example.org': address });
  await evaluate(request, dns);
  expect(dns.questions).toEqual(['example.org TXT', 'h.example.org A']);
});
