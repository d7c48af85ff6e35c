import { describe, expect, test } from '@jest/globals';
import { checkPage } from '../../../shared/pages/home.ts';
import { sharePage } from '../../../shared/pages/share.ts';
import { expand } from '../../../shared/protocol/spf/expand.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const checkedAt = '2026-11-21T10:31:07.000Z';

async function pageOf(domain: string, literal: ZoneLiteral): Promise<string> {
  return checkPage({ checkedAt, expansion: await expand(domain, zone(literal)) });
}

/** What stands between the head and the foot, without the tags: what is read. */
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

describe('the verdict', () => {
  test.each<[string, ZoneLiteral, string]>([
    ['a sound record', { 'example.org': spf('v=spf1 ip4:192.0.2.1 -all') }, '✓ Valid Receivers can evaluate'],
    [
      'one that lets everyone send',
      { 'example.org': spf('v=spf1 +all') },
      '✕ Lets everyone send Receivers can read this record, but it protects nobody',
    ],
    [
      'one that does so by ranges',
      { 'example.org': spf('v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all') },
      '✕ Lets',
    ],
    [
      'one that does so by an include',
      { 'example.org': spf('v=spf1 include:x.example -all'), 'x.example': spf('v=spf1 +all') },
      '✕ Lets everyone',
    ],
    [
      'one that does so by a name that exists',
      { 'example.org': spf('v=spf1 exists:x.example -all'), 'x.example': { A: ['127.0.0.2'] } },
      '✕ Lets everyone',
    ],
    [
      'one that includes so but denies it',
      { 'example.org': spf('v=spf1 -include:x.example -all'), 'x.example': spf('v=spf1 +all') },
      '! Valid, with',
    ],
    ['one with a warning', { 'example.org': spf('v=spf1 ip4:192.0.2.1 ?all') }, '! Valid, with 1 warning'],
    ['a broken one', { 'example.org': spf('v=spf1 foo -all') }, '✕ Invalid'],
    ['none', { 'example.org': { A: ['192.0.2.1'] } }, '✕ No SPF record'],
    ['no answer', { 'example.org': 'SERVFAIL' }, '? Could not be checked The DNS gave no answer'],
    [
      'no answer behind it',
      { 'example.org': spf('v=spf1 include:down.example -all'), 'down.example': 'TIMEOUT' },
      '? Not fully checked',
    ],
  ])('on %s comes first', async (_what, literal, verdict) => {
    expect(await textOf('example.org', literal)).toMatch(`SPF record of example.org ${verdict}`);
  });

  test('on what could not be asked never says that there is no record', async () => {
    const text = await textOf('example.org', { 'example.org': 'SERVFAIL' });
    expect(text).not.toMatch(/no spf record|publishes no|what to fix/i);
  });
});

test.each(['+all', 'ip4:192.0.2.1 +all'])('who may send by %s is everyone, listed or not', async (terms) => {
  const text = await textOf('example.org', { 'example.org': spf(`v=spf1 ${terms}`) });
  expect(text).toMatch(/May send everyone listed or not .*Who may send .*Everyone, listed or not\./);
  expect(text).not.toContain('No address is listed');
});

describe('the look-ups', () => {
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
  ])('of a record that needs %i are drawn against ten', async (count, cells) => {
    expect(await cellsOf(count)).toEqual(cells);
  });
});

describe('the include tree', () => {
  test('nests records, names services, and says what each branch costs', async () => {
    const html = await pageOf('example.org', {
      'example.org': spf('v=spf1 include:_spf.google.com -all'),
      '_spf.google.com': spf('v=spf1 include:_netblocks.google.com ~all'),
      '_netblocks.google.com': spf('v=spf1 ip4:192.0.2.0/25 ip4:192.0.2.128/25 ~all'),
    });
    expect(html.match(/<span class="tag">Google Workspace<\/span>/g)).toHaveLength(1);
    expect(html).toMatch(
      /include:_spf\.google\.com<\/code>.*?2 look-ups<\/span><\/summary><ul>.*?include:_netblocks\.google\.com<\/code>.*?1 look-up<\/span><\/summary>/s,
    );
  });

  test.each<[string, ZoneLiteral[string] | undefined, string, string]>([
    ['leads nowhere', undefined, 'include:x.example', 'no SPF record there'],
    ['leads back', spf('v=spf1 include:example.org -all'), 'include:x.example', 'leads back'],
    ['is not answered', 'SERVFAIL', 'include:x.example', 'no answer'],
    [
      'has several records',
      { TXT: ['v=spf1 -all', 'v=spf1 ~all'] },
      'include:x.example',
      'several SPF records',
    ],
    ['has no address', { TXT: ['x'] }, 'a:x.example', 'leads to nothing'],
    ['depends on the message', undefined, 'exists:%{i}.x.example', 'depends on the message'],
    ['cannot be read', undefined, 'ip5:x', 'cannot be read'],
  ])('labels a term that %s', async (_what, node, term, label) => {
    const text = await textOf('example.org', {
      'example.org': spf(`v=spf1 ${term} -all`),
      ...(node === undefined ? {} : { 'x.example': node }),
    });
    expect(text.slice(text.indexOf('Include tree'))).toContain(label);
  });

  test('labels what stands after "all"', async () => {
    expect(await textOf('example.org', { 'example.org': spf('v=spf1 -all mx') })).toContain(
      'ignored: after “all”',
    );
  });
});

describe('whatever a record contains', () => {
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

  test.each(attacks)('is shown, and is never markup: %j', async (attack) => {
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

  test('has a page of bounded size, even where the expander reaches its own bounds', async () => {
    const wide = Array.from({ length: 60 }, (_, n) => `include:d${n}.example`).join(' ');
    const literal = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `d${n}.example`,
        spf(`v=spf1 ${wide} ${'ip4:192.0.2.1 '.repeat(20)}`),
      ]),
    );
    const html = await pageOf('example.org', { 'example.org': spf(`v=spf1 ${wide}`), ...literal });
    expect(Buffer.byteLength(html)).toBeLessThan(40_000);
    expect(html).toContain('which the API lists');
  });

  test('stays under 40 kB for an ordinary tree', async () => {
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

test('a shared page is the same view, and says that it is a saved one', async () => {
  const expansion = await expand('example.org', zone({ 'example.org': spf('v=spf1 ip4:192.0.2.1 -all') }));
  const sections = (html: string) =>
    html.slice(html.indexOf('<dl class="facts">'), html.indexOf('</article>'));
  const shared = sharePage({ checkedAt, expansion }, 'https://monitor.example/s/spf/x');
  expect(sections(shared)).toBe(sections(checkPage({ checkedAt, expansion })));
  expect(shared).toContain('A saved result');
  expect(shared).toContain('href="/?domain=example.org"');
});
