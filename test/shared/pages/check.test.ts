/** The pages of the domain checker, as text: what they say, and that nothing from DNS becomes markup. */
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
import { resultPage, sharedPage } from '../../../shared/pages/domain-checker/result.ts';
import { computeScore } from '../../../shared/score/score.ts';
import { type AssessedCheck, assess } from '../../../shared/views/assessed-check.ts';
import { overviewView } from '../../kit/domain-views.ts';
import { perfectResults, unknownResults } from '../../kit/results.ts';
import { fakeWeb } from '../../kit/web.ts';
import { zone } from '../../kit/zone.ts';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)> \u202e '`;
const URL = 'https://monitor.example/s/check/0a1b2c3d4e5f6g7h8j9k0m1n';
const checkedAt = '2026-11-21T10:31:07.000Z';

function assessed(results: CheckResults, plan = overviewView('a text').plan): AssessedCheck {
  const usageType: UsageType = 'sends-and-receives';
  const check = { domain: 'example.org', usageType, checkedAt, results };
  return { check, score: computeScore(results, usageType), plan };
}

const pages = {
  'a result': resultPage,
  'a saved result': (check: AssessedCheck) => sharedPage(check, URL),
};

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

test('a domain whose lookups failed has no grade, and nothing that is known to fix', async () => {
  const results = unknownResults();
  const page = resultPage({
    ...assessed(results),
    plan: { score: null, scoreAfter: null, changes: [], files: [], manual: [] },
  });
  expect(page).toContain('No grade');
  expect(page).toContain('Nothing is known to fix');
  expect(page).not.toContain('0 of 0 points');
});

test('a saved result has its date, and what link previews need', () => {
  const page = sharedPage(assessed(perfectResults('sends-and-receives')), URL);
  expect(page).toContain('<time datetime="2026-11-21T10:31:07.000Z">21 Nov 2026, 10:31 UTC</time>');
  expect(page).toContain('Saved result.');
  for (const [property, content] of [
    ['og:title', 'example.org: grade A, 100 of 100 – email security check'],
    ['og:url', URL],
    ['og:image', `${URL}/card.png`],
  ]) {
    expect(page).toContain(`<meta property="${property}" content="${content}">`);
  }
});

test('the page that waits says what is looked up, and leads to the result without script', () => {
  const page = waitingPage('example.org', 'parked');
  const path = '/check?domain=example.org&amp;usageType=parked';
  expect(page).toContain(`<noscript><meta http-equiv="refresh" content="0;url=${path}"></noscript>`);
  expect(page).toContain(`data-fill="${path}"`);
  for (const name of ['MX', 'SPF', 'DKIM', 'DMARC', 'MTA-STS', 'TLS-RPT', 'BIMI', 'DNSSEC']) {
    expect(page).toContain(`<strong>${name}</strong>`);
  }
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
});

describe('the picture for link previews', () => {
  const [score, grade] = [83, 'B'] as const;

  test('is a PNG of the size that the page says, and small', () => {
    const image = Buffer.from(card('example.org', { score, grade }));
    expect(image.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([CARD.width, CARD.height]);
    expect(image.length).toBeLessThan(40_000);
  });

  test('differs by domain, by grade and by score', () => {
    const images = [
      card('example.org', { score, grade }),
      card('example.net', { score, grade }),
      card('example.org', { score, grade: 'C' }),
      card('example.org', { score: 84, grade }),
      card('example.org', { score: null, grade: null }),
    ];
    expect(new Set(images.map((image) => Buffer.from(image).toString('base64'))).size).toBe(images.length);
  });

  test('has a letter for every character of a domain and a grade, and fits the longest domain', () => {
    for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789-.ABCDF?') {
      expect([character, strokesOf(character).strokes.length > 0]).toEqual([character, true]);
    }
    const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example`;
    expect(card(longest, { score, grade }).length).toBeLessThan(40_000);
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
