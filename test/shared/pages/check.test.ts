/** The pages of the domain checker: what they show, and that nothing from DNS becomes markup. */
import { crc32, inflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { inspectDomain } from '../../../shared/checks/inspect.ts';
import { recordLookups } from '../../../shared/checks/record-lookups.ts';
import { type CheckResults, checkResults } from '../../../shared/checks/results.ts';
import type { UsageType } from '../../../shared/checks/state.ts';
import type { Change } from '../../../shared/fixes/plan.ts';
import type { Smtp } from '../../../shared/network/ports.ts';
import { CARD, card } from '../../../shared/pages/domain-checker/card.ts';
import { homePage, waitingPage } from '../../../shared/pages/domain-checker/form.ts';
import { strokesOf } from '../../../shared/pages/domain-checker/glyphs.ts';
import { picture } from '../../../shared/pages/domain-checker/png.ts';
import { resultPage, sharedPage } from '../../../shared/pages/domain-checker/result.ts';
import { computeScore } from '../../../shared/score/score.ts';
import { type AssessedCheck, assess } from '../../../shared/views/assessed-check.ts';
import { overviewView } from '../../kit/domain-views.ts';
import { differenceOf, outlineOf } from '../../kit/outline.ts';
import { perfectResults, unknownResults } from '../../kit/results.ts';
import { fakeWeb } from '../../kit/web.ts';
import { zone } from '../../kit/zone.ts';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)> \u202e '`;
const URL = 'https://monitor.example/s/check/0a1b2c3d4e5f6g7h8j9k0m1n';
const checkedAt = '2026-01-21T10:31:07.000Z';

function assessed(results: CheckResults, plan = overviewView('a text').plan): AssessedCheck {
  const usageType: UsageType = 'sends-and-receives';
  const check = { domain: 'example.org', usageType, checkedAt, results };
  return { check, score: computeScore(results, usageType), plan };
}

const pages = { 'a result': resultPage, 'a saved result': (check: AssessedCheck) => sharedPage(check, URL) };

/** Names of elements and attributes in the body, in order: what a browser makes of the page. */
const structureOf = (page: string): readonly string[] => page.match(/<\/?[a-z][a-z0-9]*/g) ?? [];

describe.each(Object.entries(pages))('the page with %s', (_, page) => {
  test('escapes every text of the results and the changes that DNS and servers can choose', () => {
    const hostile = page(assessed(withEveryText(HOSTILE), overviewView(HOSTILE).plan));
    const harmless = page(assessed(withEveryText('a harmless text'), overviewView('a harmless text').plan));
    const [shown, expected] = [hostile, harmless].map(withoutMarks);
    expect(structureOf(shown ?? '')).toEqual(structureOf(expected ?? ''));
    expect(hostile).toContain('&lt;script&gt;alert(1)');
    expect(hostile).toContain('\\u{202e}');
    expect(hostile).not.toContain('\u202e');
  });

  test('escapes what a check run of a hostile domain found', async () => {
    const shown = page(await hostileCheck());
    const main = shown.slice(shown.indexOf('<main'), shown.indexOf('</main>'));
    expect(main).not.toMatch(/<(?:script|img|iframe|style|svg)/);
    expect(main).not.toMatch(/<[^>]* (?:on[a-z]+|style)=/);
    expect(main).toContain('&lt;script&gt;');
    // Each of them came through.
    for (const part of ['spf', 'dmarc', 'tlsrpt', 'bimi', 'sts', 'smtp']) {
      expect([part, main.includes(`alert(&#39;${part}&#39;)`)]).toEqual([part, true]);
    }
  });
});

test('a page fits 60 kB, whatever a domain publishes', () => {
  const results = perfectResults('sends-and-receives');
  const many = Array.from(
    { length: 400 },
    (_, n) => `v=spf1 include:host${n}.example.net -all ${'x'.repeat(200)}`,
  );
  const plan = overviewView('x'.repeat(300)).plan;
  const changes: Change[] = plan.changes.flatMap((change) => Array(20).fill({ ...change, after: many }));
  const page = resultPage(
    assessed({ ...results, dmarc: { ...results.dmarc, records: many, rua: many } }, { ...plan, changes }),
  );
  expect(Buffer.byteLength(page)).toBeLessThan(60_000);
  // A part of a record set is not for copying: publishing it would remove the rest.
  expect(page).not.toContain('Copy records');
  expect(resultPage(assessed(results))).toContain('Copy records');
});

const unknown = (): AssessedCheck => ({
  ...assessed(unknownResults()),
  plan: { score: null, scoreAfter: null, changes: [], files: [], manual: [] },
});

/** The head of a document that depends on its result, and its main part without the checks. */
const summaryOf = (page: string) =>
  `${page.match(/<title>.*|<meta (?:name="description|name="robots|property="og:(?:url|image)").*/g)?.join('\n')}${outlineOf(
    page,
  ).replace(/ *section\[aria-labelledby=fix\][\s\S]*(?= *section.invitation)/, '')}`;

test.each([
  ['a result', resultPage(assessed(perfectResults('sends-and-receives')))],
  ['a result without a grade', resultPage(unknown())],
  [
    'a result of a domain that does not exist',
    resultPage({
      ...unknown(),
      score: { ...unknown().score, exists: false, message: 'This domain does not exist. Check it.' },
    }),
  ],
  ['a saved result', sharedPage(assessed(perfectResults('sends-and-receives')), URL)],
  [
    'a saved result with evidence',
    sharedPage({ ...unknown(), check: { ...unknown().check, evidence: {} as never } }, URL),
  ],
  ['what is looked up, while it waits', waitingPage('example.org', 'parked')],
  ['the form', homePage({ domain: '' }, 'sends-and-receives', 'https://m.example/')],
])('the page with %s', (_what, page) => {
  const wait = /<noscript>.*<\/noscript>/.exec(page)?.[0] ?? '';
  const [whole, shown] = [resultPage(assessed(perfectResults('sends-and-receives'))), page].map(summaryOf);
  expect(wait + differenceOf(whole === shown ? '' : (whole ?? ''), shown ?? '')).toMatchSnapshot();
});

test('the form keeps what was typed, and says what is wrong with it', () => {
  const page = homePage(
    { domain: HOSTILE, problem: 'must not be empty' },
    'sends-only',
    'https://m.example/',
  );
  expect(page).toContain('value="&quot;&gt;&lt;script&gt;alert(1)');
  expect(page).toContain('The domain must not be empty.');
  expect(page).toContain('<option value="sends-only" selected>');
  expect(page).toContain('<meta name="robots" content="noindex, nofollow">');
});

/** The size of a PNG, its palette, and the index of each pixel. */
function decoded(bytes: Uint8Array) {
  const image = Buffer.from(bytes);
  const chunks = new Map<string, Buffer>();
  for (let begin = 8; begin < image.length; ) {
    const end = begin + 8 + image.readUInt32BE(begin);
    const [type, data] = [image.toString('latin1', begin + 4, begin + 8), image.subarray(begin + 8, end)];
    expect(image.readUInt32BE(end)).toBe(crc32(image.subarray(begin + 4, end)));
    chunks.set(type, data);
    begin = end + 4;
  }
  const of = (type: string) => chunks.get(type) ?? Buffer.alloc(0);
  const [width, height] = [of('IHDR').readUInt32BE(0), of('IHDR').readUInt32BE(4)];
  const rows = inflateSync(of('IDAT'));
  const pixel = (x: number, y: number) => rows[y * (width + 1) + x + 1] ?? 0;
  return {
    ...{ signature: image.toString('hex', 0, 8), types: [...chunks.keys()].join(' ') },
    ...{ of, width, height, rows, pixel },
  };
}

describe('the picture for link previews', () => {
  const [score, grade] = [83, 'B'] as const;
  /** A square of pixels is a character: darker ones are more of what is drawn, and letters the color of it. */
  const drawn = (bytes: Uint8Array) => {
    const { pixel, width, height } = decoded(bytes);
    const [across, down] = [12, 21];
    return Array.from({ length: height / down }, (_, y) =>
      Array.from({ length: width / across }, (__, x) => {
        const found = Array.from({ length: across * down }, (___, n) =>
          pixel(x * across + (n % across), y * down + Math.floor(n / across)),
        );
        const ink = Math.floor(Math.max(...found) / 64);
        const share =
          found.reduce((sum, index) => sum + (Math.floor(index / 64) === ink ? (index % 64) / 63 : 0), 0) /
          found.length;
        return share < 0.1 ? ' ' : share < 0.5 ? '.' : 'tlgb'.charAt(ink);
      })
        .join('')
        .trimEnd(),
    ).join('\n');
  };

  test.each([
    ['example.org', { score, grade }],
    [`${'a'.repeat(60)}.${'b'.repeat(63)}.example`, { score: null, grade: null }],
    [`${'a'.repeat(52)}.example`, { score: 100, grade: 'A' }],
  ] as const)('of %s', (domain, of) => {
    const bytes = card(domain, of);
    expect(bytes.length).toBeLessThan(40_000);
    expect([decoded(bytes).width, decoded(bytes).height]).toEqual([CARD.width, CARD.height]);
    expect(`\n${drawn(bytes)}\n`).toMatchSnapshot();
  });

  test('has pixels in shades of its inks, and is a PNG without further parts', () => {
    const inks = [
      ['#000000', '#ffffff'],
      ['#102030', '#0000ff'],
    ] as const;
    const small = picture(24, 14, inks);
    small.fill({ left: 1, top: 2, width: 3, height: 4 }, 1);
    const pen = { left: 4.2, top: 1.3, size: 2, thickness: 2.1 };
    small.draw(
      [
        [
          { x: 0, y: 0 },
          { x: 5, y: 2.5 },
          { x: 9, y: 2.2 },
        ],
        [{ x: 2.1, y: 4.3 }],
      ],
      pen,
      0,
    );
    small.draw(
      [
        [
          { x: 1, y: 0 },
          { x: 1, y: 9 },
        ],
      ],
      { ...pen, thickness: 1.4 },
      1,
    );
    small.draw(
      [
        [
          { x: -3, y: 5.2 },
          { x: 12, y: 5.2 },
        ],
      ],
      { ...pen, thickness: 0.5 },
      0,
    );
    const { of, pixel, width, height, rows, signature, types } = decoded(small.png());
    expect([signature, types, of('IHDR').toString('hex'), rows.length]).toMatchSnapshot();
    const grid = Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (__, x) => String(pixel(x, y)).padStart(4)).join(''),
    );
    expect(`\n${grid.join('\n')}\n`).toMatchSnapshot();
    const palette = of('PLTE').toString('hex').match(/.{6}/g);
    expect([
      palette?.length,
      ...[0, 1, 31, 63, 64, 65, 100, 127].map((at) => palette?.[at]),
    ]).toMatchSnapshot();
  });

  test('has a letter for every character of a domain and a grade', () => {
    for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789-.ABCDF?') {
      expect([character, strokesOf(character).strokes.length > 0]).toEqual([character, true]);
    }
    const round = (value: number) => Number(value.toFixed(2));
    const shown = ['', ' ', 'l l', 'a', 'f', 'i', '-', '.'].map((text) => {
      const { strokes, width } = strokesOf(text);
      const points = strokes.map((stroke) => stroke.map(({ x, y }) => `${round(x)},${round(y)}`).join(' '));
      return `"${text}" is ${round(width)} wide: ${points.join(' / ')}`;
    });
    expect(`\n${shown.join('\n')}\n`).toMatchSnapshot();
  });
});

/** Results with `text` in place of every text that their schema does not restrict, so also in what only we write. */
function withEveryText(text: string): CheckResults {
  const { results } = overviewView('').checked ?? { results: perfectResults('sends-and-receives') };
  let changed: CheckResults = results;
  for (const path of pathsOfTexts(results)) {
    // Times are ours, and findings are found by their id.
    if (/^(?:asOf|certificateExpiry|id)$/.test(String(path.at(-1)))) continue;
    const parsed = checkResults.safeParse(replaced(changed, path, text));
    if (parsed.success) changed = parsed.data;
  }
  return changed;
}

type Path = readonly (string | number)[];

function pathsOfTexts(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => pathsOfTexts(inner, [...path, key]));
}

function replaced(value: unknown, [key, ...rest]: Path, text: string): unknown {
  if (key === undefined) return text;
  const inner = replaced((value as Record<string, unknown>)[key], rest, text);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...(value as object), [key]: inner };
}

/** The marks of characters that would be invisible are elements, too. */
const withoutMarks = (page: string): string => page.replaceAll(/<span class="odd">[^<]*<\/span>/g, '');

/** All checks of a domain that puts markup wherever a record, a file or a server can have text. */
async function hostileCheck(): Promise<AssessedCheck> {
  const markup = (where: string) => `<script>alert('${where}')</script><img src=x onerror=alert(1)>`;
  const policy = `version: STSv1\nmode: testing\nmx: ${markup('sts')}.example.org\nmax_age: 86400\n`;
  const { dns, lookups } = recordLookups(
    zone({
      'example.org': {
        MX: [
          [10, 'mx.example.org'],
          [20, `${markup('mx')}.example.org`],
        ],
        TXT: [`v=spf1 include:${markup('spf')} ~all`],
      },
      '_dmarc.example.org': { TXT: [`v=DMARC1; p=none; rua=mailto:${markup('dmarc')}@example.org`] },
      'default._domainkey.example.org': { TXT: [`v=DKIM1; k=${markup('dkim')}; p=AAAA`] },
      '_mta-sts.example.org': { TXT: [`v=STSv1; id=1; x=${markup('sts-record')}`] },
      '_smtp._tls.example.org': { TXT: [`v=TLSRPTv1; rua=mailto:${markup('tlsrpt')}@example.org`] },
      'default._bimi.example.org': { TXT: [`v=BIMI1; l=https://example.org/${markup('bimi')}; a=`] },
      'mx.example.org': { A: ['192.0.2.25'] },
    }),
  );
  const smtp: Smtp = {
    probe: async ({ hostname, address }) => ({
      status: 'found',
      starttls: { status: 'failed', reason: 'reply', detail: `454 ${markup('smtp')}` },
      recipient: 'not-asked',
      evidence: { hostname, address, milliseconds: 1, reply: `454 ${markup('smtp')}` },
    }),
  };
  const web = fakeWeb({
    'https://mta-sts.example.org/.well-known/mta-sts.txt': { type: 'text/plain', body: policy },
  });
  const clock = { now: () => new Date(checkedAt) };
  const results = await inspectDomain(
    { domain: 'example.org', testEmailLocalPart: null, knownSelectors: [] },
    { network: { dns, web, smtp, clock }, trustAnchors: [] },
  );
  const usageType: UsageType = 'sends-and-receives';
  const check = { domain: 'example.org', usageType, checkedAt, results, lookups: lookups() } as const;
  return assess({ check, owner: null });
}
