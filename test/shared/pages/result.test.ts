import { describe, expect, test } from '@jest/globals';
import { spfPage, spfResultPage } from '../../../shared/pages/spf/page.ts';
import { sharePage } from '../../../shared/pages/spf/share.ts';
import { expand } from '../../../shared/protocol/spf/expand.ts';
import { differenceOf, outlineOf } from '../../kit/outline.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const checkedAt = '2026-01-21T10:31:07.000Z';

async function pageOf(domain: string, literal: ZoneLiteral): Promise<string> {
  return spfResultPage({ checkedAt, expansion: await expand(domain, zone(literal)) });
}

const spf = (text: string) => ({ TXT: [text] });

/** The head of a document that depends on its result, and its article up to a section. */
async function shown(domain: string, literal: ZoneLiteral, until = '</article>'): Promise<string> {
  const page = await pageOf(domain, literal);
  const head = page.match(/<title>.*|<meta name="description".*/g)?.join('\n');
  const end = page.includes(until) ? page.indexOf(until) : page.indexOf('</article>');
  return `${head}${outlineOf(page.slice(page.indexOf('<article>'), end))}`;
}

const sectionOf = (page: string, id: string) => {
  const begin = page.indexOf(`<section aria-labelledby="${id}"`);
  return begin === -1 ? 'nothing' : outlineOf(page.slice(begin, page.indexOf('</section>', begin)));
};

const ofDomain = (record: string, others: ZoneLiteral = {}): ZoneLiteral => ({
  'example.org': spf(record),
  ...others,
});

test.each<[string, ZoneLiteral]>([
  ['a sound record', ofDomain('v=spf1 ip4:192.0.2.1 -all')],
  ['one that authorizes everyone', ofDomain('v=spf1 +all')],
  ['one that authorizes everyone by IP ranges', ofDomain('v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all')],
  [
    'one that authorizes everyone by an include',
    ofDomain('v=spf1 include:x.example -all', { 'x.example': spf('v=spf1 +all') }),
  ],
  [
    'one that authorizes everyone by exists',
    ofDomain('v=spf1 exists:x.example -all', { 'x.example': { A: ['127.0.0.2'] } }),
  ],
  [
    'one that includes such a record but denies it',
    ofDomain('v=spf1 -include:x.example -all', { 'x.example': spf('v=spf1 +all') }),
  ],
  ['one with a warning', ofDomain('v=spf1 ip4:192.0.2.0/24 ?all')],
  ['one with two warnings', ofDomain('v=spf1 ptr mx ?all')],
  ['one without all, with a softfail', ofDomain('v=spf1 ip6:2001:db8::/32 ip4:192.0.2.1 ~all')],
  ['one without all', ofDomain('v=spf1 ip6:2001:db8::/32')],
  ['one that depends on the message', ofDomain('v=spf1 ip4:192.0.2.0/22 exists:%{i}.x.example ~all')],
  ['a broken one', ofDomain('v=spf1 foo -all')],
  ['a broken one that authorizes everyone', ofDomain('v=spf1 foo +all')],
  ['none', { 'example.org': { A: ['192.0.2.1'] } }],
  ['a failed lookup', { 'example.org': 'SERVFAIL' }],
  [
    'a failed lookup of an include',
    ofDomain('v=spf1 include:down.example ip4:192.0.2.1 -all', { 'down.example': 'TIMEOUT' }),
  ],
  [
    'one of Google',
    ofDomain('v=spf1 include:_spf.google.com -all', {
      '_spf.google.com': spf('v=spf1 ip4:192.0.2.0/28 ~all'),
    }),
  ],
])('the verdict and the facts of %s', async (_what, literal) => {
  const text = await shown('example.org', literal, '<section aria-labelledby="record"');
  // What a finding says in full has a recording of its own.
  const left =
    /\n *(?:p\.fix|header|article|p\.eyebrow|h1|p Checked|ul\.findings|li\.|div\.actions|<a|form|input|button).*/g;
  expect(text.replaceAll(left, '')).toMatchSnapshot();
});

test('a failed lookup is never reported as a missing record', async () => {
  const text = await shown('example.org', { 'example.org': 'SERVFAIL' });
  expect(text).not.toMatch(/no spf record|publishes no|what to fix/i);
});

test('a whole page, its form, and a saved result', async () => {
  const literal = ofDomain(
    'v=spf1  mx a:host.example ~include:soft.example include:Deep.example. redirect=x.example exp=e.example -all',
    {
      'host.example': { A: ['192.0.2.9'] },
      'soft.example': spf('v=spf1 ip4:198.51.100.200 ?all'),
      'deep.example': spf('v=spf1 ip4:192.0.2.0/25 ip4:192.0.2.128/25 ip6:2001:db8::/32 -all'),
    },
  );
  expect(await shown('example.org', literal)).toMatchSnapshot();
  const expansion = await expand('example.org', zone(literal));
  const page = spfResultPage({ checkedAt, expansion });
  const saved = sharePage({ checkedAt, expansion }, 'https://monitor.example/s/spf/x');
  const begin = (html: string) =>
    outlineOf(html.slice(html.indexOf('<main'), html.indexOf('<dl class="facts">')));
  expect(
    `${differenceOf(begin(page), begin(saved))}${/<meta property="og:url.*/.exec(saved)?.[0]}`,
  ).toMatchSnapshot();
  const sections = (html: string) =>
    html.slice(html.indexOf('<dl class="facts">'), html.indexOf('</article>'));
  expect(sections(saved)).toBe(sections(page));
  const place = { url: 'https://m.example/spf', hasDomainChecker: true };
  const forms = [
    spfPage({ domain: '' }, place),
    spfPage({ domain: 'x', problem: 'is wrong' }, { ...place, hasDomainChecker: false }),
  ];
  expect(
    forms
      .map(
        (form) =>
          `${/<meta name="robots".*/.exec(form)?.[0]} ${/<nav aria-label="Service".*<\/nav>/.exec(form)?.[0]}${outlineOf(form)}`,
      )
      .join('\n'),
  ).toMatchSnapshot();
});

test.each([0, 1, 7, 8, 9, 10, 11, 20, 21, 37])(
  'of a record that needs %i lookups, each is drawn against the limit of ten',
  async (count) => {
    const names = Array.from({ length: count }, (_, n) => `s${n}.example.org`);
    const literal = ofDomain(
      `v=spf1 ${names.map((name) => `include:${name}`).join(' ')} -all`,
      Object.fromEntries(names.map((name) => [name, spf('v=spf1 ip4:192.0.2.1 -all')])),
    );
    const bar = sectionOf(await pageOf('example.org', literal), 'budget');
    const cells = bar.replaceAll(
      /<i\.(\w)\w+(\.over)?(\.last)?>/g,
      (_, use: string, over?: string, last?: string) =>
        `${over === undefined ? use : 'o'}${last === undefined ? '' : '|'}`,
    );
    expect(cells.match(/ p .*|div.bar.*/g)?.join('\n')).toMatchSnapshot();
  },
);

test('the lookups of terms, of those that may need more, and that find nothing', async () => {
  const page = await pageOf(
    'example.org',
    ofDomain('v=spf1 include:two.example mx a:none.example a:down.example a:none2.example -all', {
      'two.example': spf('v=spf1 a:x.example a:y.example -all'),
      'down.example': 'TIMEOUT',
    }),
  );
  expect(sectionOf(page, 'budget')).toMatchSnapshot();
});

describe('the include tree', () => {
  test('nests records, names providers, and labels what is special', async () => {
    const page = await pageOf(
      'example.org',
      ofDomain(
        'v=spf1 include:_spf.google.com include:none.example include:loop.example include:twice.example include:down.example a:empty.example exists:%{i}.x.example ip5:x include:syntax.example -all mx',
        {
          '_spf.google.com': spf('v=spf1 include:_netblocks.google.com ~all'),
          '_netblocks.google.com': spf('v=spf1 ip4:192.0.2.0/25 ip4:192.0.2.128/25 ip4:1.2.3.4/33 ~all'),
          'loop.example': spf('v=spf1 include:example.org -all'),
          'twice.example': { TXT: ['v=spf1 -all', 'v=spf1 ~all'] },
          'down.example': 'SERVFAIL',
          'empty.example': { TXT: ['x'] },
          'syntax.example': spf('v=spf1 foo -all'),
        },
      ),
    );
    expect(sectionOf(page, 'tree')).toMatchSnapshot();
    const redirected = await pageOf(
      'example.org',
      ofDomain('v=spf1 redirect=x.example mx -all', { 'x.example': spf('v=spf1 -all') }),
    );
    expect(sectionOf(redirected, 'tree')).toMatchSnapshot();
    expect(sectionOf(await pageOf('example.org', ofDomain('v=spf1')), 'tree')).toBe('nothing');
  });

  const many = (count: number, term: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => term(n)).join(' ');
  test.each([
    [
      'networks',
      [12, 13],
      (count: number) =>
        ofDomain(`v=spf1 ${many(count, (n) => `ip4:192.0.2.${n}`)} -ip4:192.0.3.1 ip6:2001:db8::1 -all`),
    ],
    [
      'addresses of a name',
      [6, 7],
      (count: number) =>
        ofDomain('v=spf1 a:x.example -all', {
          'x.example': { A: Array.from({ length: count }, (_, n) => `192.0.2.${n}`) },
        }),
    ],
    [
      'MX hosts',
      [10, 11],
      (count: number) =>
        ofDomain('v=spf1 mx -all', {
          'example.org': {
            TXT: ['v=spf1 mx -all'],
            MX: Array.from({ length: count }, (_, n) => [n, `m${n}.example`] as const),
          },
        } as never),
    ],
  ] as const)('shows so many %s', async (_what, counts, literal) => {
    const trees = await Promise.all(
      counts.map(async (count) => sectionOf(await pageOf('example.org', literal(count)), 'tree')),
    );
    expect(trees.map((tree) => tree.replaceAll(/<code\.t\.pass ip4:192[^>]*> /g, '#'))).toMatchSnapshot();
  });

  test.each([15, 16])('of %i records is open, or only its first level', async (size) => {
    const chain = Object.fromEntries(
      Array.from({ length: 3 }, (_, n) => [
        `c${n}.example`,
        spf(n === 2 ? 'v=spf1 ip4:192.0.2.1 -all' : `v=spf1 include:c${n + 1}.example -all`),
      ]),
    );
    const wide = many(size - 4, (n) => `include:d${n}.example`);
    const flat = Object.fromEntries(
      Array.from({ length: size - 4 }, (_, n) => [`d${n}.example`, spf('v=spf1 ip4:192.0.2.1 -all')]),
    );
    const tree = sectionOf(
      await pageOf('example.org', ofDomain(`v=spf1 include:c0.example ${wide} -all`, { ...chain, ...flat })),
      'tree',
    );
    expect([
      tree.match(/ p .*/)?.[0],
      ...(tree.match(/details(?:\[open\])?\n.*c\d.example/g) ?? []),
    ]).toMatchSnapshot();
  });

  test('the sums of networks, and what takes too much room', async () => {
    const networks = many(400, (n) => `ip4:10.${n % 250}.${2 * Math.floor(n / 250)}.1`);
    const page = await pageOf(
      'example.org',
      ofDomain(`v=spf1 ${networks} include:_spf.google.com -all`, {
        '_spf.google.com': spf(`v=spf1 ${many(3, (n) => `ip4:192.0.2.${n}`)} -all`),
      }),
    );
    expect(
      page.match(/and [\d,]+ more[^<]*|<summary>[^<]*<\/summary>|<dt>Authorized.*|data-copy="[^"]*"/g),
    ).toMatchSnapshot();
  });

  test.each([
    ['ranges that merge', 'v=spf1 ip4:192.0.2.0/25 ip4:192.0.2.128/25 a:x.example -all'],
    ['ranges that do not', 'v=spf1 ip4:192.0.2.0/25 a:x.example -all'],
    ['no range', 'v=spf1 a:none.example -all'],
    ['no lookup', 'v=spf1 ip4:192.0.2.0/25 -all'],
    ['everyone, and a provider', 'v=spf1 include:_spf.google.com +all'],
    ['records that need several', `v=spf1 ${many(60, (n) => `ip4:10.0.${2 * n}.0/24`)} a:x.example -all`],
  ])('authorized senders: %s', async (_what, record) => {
    const section = sectionOf(
      await pageOf('example.org', ofDomain(record, { 'x.example': { A: ['198.51.100.1'] } })),
      'senders',
    );
    expect(
      section.replaceAll(/\n *li <code 10\..*/g, '').replaceAll(/(?:10\.[\d./]+ ?|ip4:10[\d./]+ ?)+/g, '# '),
    ).toMatchSnapshot();
  });
});

describe('any record content', () => {
  const attacks = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    '</style><svg/onload=alert(1)>',
    '</title><blink>',
    '<!--',
    ']]>',
    '&lt;b&gt;',
    '\u202egro.elpmaxe',
    '\u0000\u0007\u001b[31m',
    '\u200b\ufeff',
    '%{i}"onclick=x',
  ];
  const places: readonly ((attack: string) => ZoneLiteral)[] = [
    (attack) => ({ 'example.org': spf(`v=spf1 ${attack} -all`) }),
    (attack) => ({ 'example.org': spf(`v=spf1 include:${attack} exp=${attack} ${attack}=${attack} -all`) }),
    (attack) => ({ 'example.org': spf(` v=spf1 ${attack}`) }),
    (attack) => ({ 'example.org': { TXT: [`v=spf1 ${attack}`, `v=spf1 mx:${attack}`] } }),
    (attack) => ({
      'example.org': spf('v=spf1 include:x.example redirect=x.example'),
      'x.example': spf(`v=spf1 a:${attack} ${attack}`),
    }),
    (attack) => ({ 'example.org': { ...spf('v=spf1 mx -all'), MX: [[1, `${attack}.example`]] } }),
  ];

  const ourTags = new Set(
    'a article b body button code dd details div dl dt footer form h1 h2 h3 header i input label li main nav p path section small span strong summary svg time ul'.split(
      ' ',
    ),
  );

  test.each(attacks)('is shown, and never as markup: %j', async (attack) => {
    for (const place of places) {
      const html = await pageOf('example.org', place(attack));
      const body = html.slice(html.indexOf('<body>'), html.lastIndexOf('<script>'));
      expect(html.match(/<script/g)).toHaveLength(1);
      const tags = [...body.matchAll(/<\/?([^\s>]*)/g)].map(([, name = '']) => name);
      expect(tags.filter((tag) => !ourTags.has(tag))).toEqual([]);
      expect(body).not.toMatch(/<[^>]*\son\w+=/);
      expect(html).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}/u);
      expect(Buffer.byteLength(html)).toBeLessThan(40_000);
    }
  });

  test('results in a page of limited size, even at the limits of the expander', async () => {
    const wide = Array.from({ length: 60 }, (_, n) => `include:d${n}.example`).join(' ');
    const literal = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `d${n}.example`,
        spf(`v=spf1 ${wide} ${'ip4:192.0.2.1 '.repeat(20)}`),
      ]),
    );
    const html = await pageOf('example.org', { 'example.org': spf(`v=spf1 ${wide}`), ...literal });
    expect(Buffer.byteLength(html)).toBeLessThan(40_000);
    expect(html).toContain('available through the API');
  });
});
