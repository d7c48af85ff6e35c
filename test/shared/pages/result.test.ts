import { describe, expect, test } from '@jest/globals';
import { spfResultPage } from '../../../shared/pages/spf/page.ts';
import { sharePage } from '../../../shared/pages/spf/share.ts';
import { expand } from '../../../shared/protocol/spf/expand.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const checkedAt = '2026-11-21T10:31:07.000Z';

async function pageOf(domain: string, literal: ZoneLiteral): Promise<string> {
  return spfResultPage({ checkedAt, expansion: await expand(domain, zone(literal)) });
}

/** The text of the article, without tags. */
async function textOf(domain: string, literal: ZoneLiteral): Promise<string> {
  const html = await pageOf(domain, literal);
  return html
    .slice(html.indexOf('<article>'), html.indexOf('</article>'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

const spf = (text: string) => ({ TXT: [text] });

const includes = (count: number) =>
  Array.from({ length: count }, (_, n) => [`s${n}.example.org`, spf('v=spf1 ip4:192.0.2.1 -all')] as const);

test('errors and warnings are counted above them', async () => {
  const text = (record: string) => textOf('example.org', { 'example.org': spf(record) });
  expect(await text('v=spf1 foo -all')).toContain('What to fix 1 error Error');
  expect(await text('v=spf1 ip4:192.0.2.1 ?all')).toContain('What to fix 1 warning Warning');
  expect(await text('v=spf1 ip4:192.0.2.1 -all')).toContain('Nothing to fix');
});

describe('the verdict', () => {
  test.each<[string, ZoneLiteral, string]>([
    ['a sound record', { 'example.org': spf('v=spf1 ip4:192.0.2.1 -all') }, '✓ Valid Receivers can evaluate'],
    [
      'one that authorizes everyone',
      { 'example.org': spf('v=spf1 +all') },
      '✕ Authorizes everyone Receivers can evaluate this record, but it authorizes every host',
    ],
    [
      'one that authorizes everyone by IP ranges',
      { 'example.org': spf('v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all') },
      '✕ Authorizes everyone',
    ],
    [
      'one that authorizes everyone by an include',
      { 'example.org': spf('v=spf1 include:x.example -all'), 'x.example': spf('v=spf1 +all') },
      '✕ Authorizes everyone',
    ],
    [
      'one that authorizes everyone by exists',
      { 'example.org': spf('v=spf1 exists:x.example -all'), 'x.example': { A: ['127.0.0.2'] } },
      '✕ Authorizes everyone',
    ],
    [
      'one that includes such a record but denies it',
      { 'example.org': spf('v=spf1 -include:x.example -all'), 'x.example': spf('v=spf1 +all') },
      '! Valid, with',
    ],
    ['one with a warning', { 'example.org': spf('v=spf1 ip4:192.0.2.1 ?all') }, '! Valid, with 1 warning'],
    ['a broken one', { 'example.org': spf('v=spf1 foo -all') }, '✕ Invalid'],
    ['none', { 'example.org': { A: ['192.0.2.1'] } }, '✕ No SPF record'],
    [
      'a failed lookup',
      { 'example.org': 'SERVFAIL' },
      '? DNS lookup failed The TXT lookup for example.org failed',
    ],
    [
      'a failed lookup of an include',
      { 'example.org': spf('v=spf1 include:down.example -all'), 'down.example': 'TIMEOUT' },
      '? Partly checked',
    ],
  ])('comes first for %s', async (_what, literal, verdict) => {
    expect(await textOf('example.org', literal)).toMatch(`SPF record of example.org ${verdict}`);
  });

  test('never reports a missing record for a failed lookup', async () => {
    const text = await textOf('example.org', { 'example.org': 'SERVFAIL' });
    expect(text).not.toMatch(/no spf record|publishes no|what to fix/i);
  });
});

test.each(['+all', 'ip4:192.0.2.1 +all'])('%s authorizes any host, listed or not', async (terms) => {
  const text = await textOf('example.org', { 'example.org': spf(`v=spf1 ${terms}`) });
  expect(text).toMatch(/Authorized any host listed or not .*Authorized senders .*Any host, listed or not\./);
  expect(text).not.toContain('No IP addresses are listed');
});

describe('the lookups', () => {
  const cellsOf = async (count: number) => {
    const record = `v=spf1 ${includes(count)
      .map(([name]) => `include:${name}`)
      .join(' ')} -all`;
    const html = await pageOf('example.org', {
      'example.org': spf(record),
      ...Object.fromEntries(includes(count)),
    });
    const cells = [...html.matchAll(/<i class="(used|used over|free)(?: last)?">/g)].map(([, use]) => use);
    const tone = /class="bar (\w+)"/.exec(html)?.[1];
    const count2 = (use: string) => cells.filter((it) => it === use).length;
    return [
      tone,
      count2('used'),
      count2('used over'),
      count2('free'),
      /class="more">(\+\d+)/.exec(html)?.[1],
    ];
  };

  test.each([
    [0, ['good', 0, 0, 10, undefined]],
    [7, ['good', 7, 0, 3, undefined]],
    [8, ['warn', 8, 0, 2, undefined]],
    [10, ['warn', 10, 0, 0, undefined]],
    [11, ['bad', 10, 1, 0, undefined]],
    [20, ['bad', 10, 10, 0, undefined]],
    [37, ['bad', 10, 10, 0, '+17']],
  ])('of a record that needs %i are drawn against the limit of ten', async (count, cells) => {
    expect(await cellsOf(count)).toEqual(cells);
  });
});

describe('the include tree', () => {
  test('nests records, names providers, and shows the lookups of each branch', async () => {
    const html = await pageOf('example.org', {
      'example.org': spf('v=spf1 include:_spf.google.com -all'),
      '_spf.google.com': spf('v=spf1 include:_netblocks.google.com ~all'),
      '_netblocks.google.com': spf('v=spf1 ip4:192.0.2.0/25 ip4:192.0.2.128/25 ~all'),
    });
    expect(html.match(/<span class="tag">Google Workspace<\/span>/g)).toHaveLength(1);
    expect(html).toMatch(
      /include:_spf\.google\.com<\/code>.*?2 lookups<\/span><\/summary><ul>.*?include:_netblocks\.google\.com<\/code>.*?1 lookup<\/span><\/summary>/s,
    );
  });

  test.each<[string, ZoneLiteral[string] | undefined, string, string]>([
    ['has no record', undefined, 'include:x.example', 'no SPF record'],
    ['loops', spf('v=spf1 include:example.org -all'), 'include:x.example', 'loop'],
    ['has a failed lookup', 'SERVFAIL', 'include:x.example', 'lookup failed'],
    [
      'has several records',
      { TXT: ['v=spf1 -all', 'v=spf1 ~all'] },
      'include:x.example',
      'multiple SPF records',
    ],
    ['has no addresses', { TXT: ['x'] }, 'a:x.example', 'void lookup'],
    ['depends on the message', undefined, 'exists:%{i}.x.example', 'depends on the message'],
    ['is invalid', undefined, 'ip5:x', 'syntax error'],
  ])('labels a term that %s', async (_what, node, term, label) => {
    const text = await textOf('example.org', {
      'example.org': spf(`v=spf1 ${term} -all`),
      ...(node === undefined ? {} : { 'x.example': node }),
    });
    expect(text.slice(text.indexOf('Include tree'))).toContain(label);
  });

  test('labels terms after "all"', async () => {
    expect(await textOf('example.org', { 'example.org': spf('v=spf1 -all mx') })).toContain(
      'ignored: after “all”',
    );
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

  test('stays under 40 kB for a typical tree', async () => {
    const networks = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => `ip4:198.${from + n}.0.0/19`).join(' ');
    const html = await pageOf('example.org', {
      'example.org': spf(
        'v=spf1 mx include:_spf.google.com include:sendgrid.net include:spf.protection.outlook.com ~all',
      ),
      '_spf.google.com': spf('v=spf1 include:_netblocks.google.com include:_netblocks2.google.com ~all'),
      '_netblocks.google.com': spf(`v=spf1 ${networks(0, 15)} ~all`),
      '_netblocks2.google.com': spf(`v=spf1 ${networks(20, 8)} ~all`),
      'sendgrid.net': spf(`v=spf1 ${networks(40, 12)} include:ab.sendgrid.net ~all`),
      'ab.sendgrid.net': spf(`v=spf1 ${networks(60, 6)} ~all`),
      'spf.protection.outlook.com': spf(`v=spf1 ${networks(80, 12)} -all`),
    });
    expect(Buffer.byteLength(html)).toBeLessThan(40_000);
  });
});

test('a shared page shows the same result and says that it is saved', async () => {
  const expansion = await expand('example.org', zone({ 'example.org': spf('v=spf1 ip4:192.0.2.1 -all') }));
  const sections = (html: string) =>
    html.slice(html.indexOf('<dl class="facts">'), html.indexOf('</article>'));
  const shared = sharePage({ checkedAt, expansion }, 'https://monitor.example/s/spf/x');
  expect(sections(shared)).toBe(sections(spfResultPage({ checkedAt, expansion })));
  expect(shared).toContain('Saved result.');
  expect(shared).toContain('href="/spf?domain=example.org"');
});
