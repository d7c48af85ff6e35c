import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type BimiOptions, inspectBimi } from '../../../../shared/checks/bimi/inspect.ts';
import { withMessages } from '../../../kit/findings.ts';
import { markChain } from '../../../kit/mark-certificates.ts';
import { recorded } from '../../../kit/recorded.ts';
import { type FakePage, type Fault, fakeWeb } from '../../../kit/web.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 9 9"><title>Example</title><desc>A circle</desc><circle r="9"/></svg>';
const LOGO_URL = 'https://example.org/logo.svg';
const MARK_URL = 'https://example.org/mark.pem';
const RECORD = `v=BIMI1; l=${LOGO_URL}; a=${MARK_URL}`;
const PLAIN = `v=BIMI1; l=${LOGO_URL}`;
const REJECT = { TXT: ['v=DMARC1; p=reject'] };

const chain = markChain({ logo: LOGO });
const evidence: FakePage = { body: chain.leaf + chain.issuer + chain.root };
const logo = (body: string | Uint8Array = LOGO, more: FakePage = {}): FakePage => ({
  body,
  type: 'image/svg+xml',
  ...more,
});
const names = (record: string, more: ZoneLiteral = {}): ZoneLiteral => ({
  'default._bimi.example.org': { TXT: [record] },
  '_dmarc.example.org': REJECT,
  ...more,
});
/** What most rows have in common, which recordings leave out. */
const usual = {
  ...{ selector: 'default', record: PLAIN, version: 'BIMI1', location: LOGO_URL, authority: null },
  ...{ logoFetched: true, logoValid: true, logoContentType: 'image/svg+xml' },
};
const pages = { [LOGO_URL]: logo(), [MARK_URL]: evidence };

function inspect(
  literal: ZoneLiteral,
  web: Readonly<Record<string, FakePage | Fault>> = pages,
  { domain = 'example.org', delay = 0, ...options }: BimiOptions & { domain?: string; delay?: number } = {},
) {
  const dns = zone(literal, { delayMilliseconds: delay });
  const fake = fakeWeb(web, delay);
  const clock = { now: () => new Date('2026-06-01') };
  const smtp = { probe: () => Promise.reject(new Error('no SMTP in this check')) };
  const anchored = { anchors: [chain.root], ...options };
  const result = inspectBimi(domain, { dns, web: fake, smtp, clock }, anchored)
    .then((found) => recorded(found, usual))
    .then(withMessages);
  return { result, dns, web: fake };
}

async function findingsOf(...args: Parameters<typeof inspect>): Promise<string[]> {
  const { findings } = await inspect(...args).result;
  return findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`));
}

test('a fully configured domain passes', async () => {
  const { state, findings } = await inspect(names(RECORD)).result;
  expect([state, findings.map(({ id }) => id)]).toEqual(['pass', ['bimi-evidence-not-verified']]);
});

test('queries the record and DMARC concurrently, then fetches logo and evidence concurrently', async () => {
  const { result, dns, web } = inspect(names(RECORD), pages, { delay: 20 });
  expect(dns.questions).toEqual(
    expect.arrayContaining(['default._bimi.example.org TXT', '_dmarc.example.org TXT']),
  );
  await result;
  expect(web.requests.map(({ url }) => url)).toEqual([LOGO_URL, MARK_URL]);
});

test('checks another selector on request', async () => {
  const literal = names('v=BIMI1; l=; a=', { 'brand._bimi.example.org': { TXT: [PLAIN] } });
  expect(await inspect(literal, pages, { selector: 'brand' }).result).toMatchObject({
    state: 'pass',
    selector: 'brand',
    record: PLAIN,
  });
});

describe('the record', () => {
  test.each<[string, ZoneLiteral, string, readonly string[]]>([
    ['that does not exist', { '_dmarc.example.org': REJECT }, 'absent', ['bimi-missing']],
    ['that declines BIMI', names('v=BIMI1; l=; a=;'), 'absent', ['bimi-declined']],
    ['in another case', names(`v=bimi1; l=${LOGO_URL}`), 'fail', ['bimi-record-ignored']],
    ['without a location', names('v=BIMI1;'), 'fail', ['bimi-location-missing']],
    [
      'beside another BIMI record',
      names('', { 'default._bimi.example.org': { TXT: [PLAIN, RECORD] } }),
      'fail',
      ['bimi-multiple-records'],
    ],
    [
      'whose lookup failed',
      names('', { 'default._bimi.example.org': 'SERVFAIL' }),
      'unknown',
      ['bimi-record-unavailable'],
    ],
  ])('%s', async (_, literal, state, findings) => {
    const { result, web } = inspect(literal);
    const found = await result;
    expect([found.state, found.findings.map(({ id }) => id)]).toEqual([state, findings]);
    expect(web.requests).toEqual([]);
  });

  test('that receivers reject is parsed as far as possible, and nothing is fetched', async () => {
    const { result, web } = inspect(names(`v=BIMI1; l=http://example.org/logo.svg; a=${MARK_URL}`));
    expect(await result).toMatchObject({ state: 'fail', location: 'http://example.org/logo.svg' });
    expect(web.requests).toEqual([]);
  });

  describe('of the organizational domain', () => {
    const domain = 'news.example.org';

    test('applies to a domain without a record', async () => {
      expect(await findingsOf(names(PLAIN), pages, { domain })).toEqual([
        'bimi-inherited',
        'bimi-no-evidence',
      ]);
    });

    test('does not apply to a domain that declines', async () => {
      const literal = names(PLAIN, { 'default._bimi.news.example.org': { TXT: ['v=BIMI1; l=; a='] } });
      expect(await inspect(literal, pages, { domain }).result).toMatchObject({ state: 'absent' });
    });

    test('does not replace a record whose lookup failed', async () => {
      const literal = names(PLAIN, { 'default._bimi.news.example.org': 'TIMEOUT' });
      expect((await inspect(literal, pages, { domain }).result).state).toBe('unknown');
    });

    test('leaves the state unknown if its lookup failed', async () => {
      const literal = names('', { 'default._bimi.example.org': 'TIMEOUT' });
      expect((await inspect(literal, pages, { domain }).result).state).toBe('unknown');
    });

    test('may have a certificate for the organizational domain', async () => {
      expect((await inspect(names(RECORD), pages, { domain }).result).valid).toBe(true);
    });
  });
});

describe('DMARC', () => {
  const policy = (text: string) => names(PLAIN, { '_dmarc.example.org': { TXT: [text] } });
  test.each<[string, ZoneLiteral, boolean]>([
    ['p=reject is enough', policy('v=DMARC1; p=reject'), true],
    ['p=quarantine is enough', policy('v=DMARC1; p=quarantine'), true],
    ['p=reject with pct below 100 is enough', policy('v=DMARC1; p=reject; pct=10'), true],
    ['p=none is not enough', policy('v=DMARC1; p=none'), false],
    ['p=quarantine with pct below 100 is not enough', policy('v=DMARC1; p=quarantine; pct=99'), false],
    ['sp=none is not enough', policy('v=DMARC1; p=reject; sp=none'), false],
    ['p=quarantine in test mode is not enough', policy('v=DMARC1; p=quarantine; t=y'), false],
    [
      'several records are not enough',
      names(PLAIN, { '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] } }),
      false,
    ],
    ['p=none with a stricter sp is not enough', policy('v=DMARC1; p=none; sp=reject'), false],
    ['no record is not enough', { 'default._bimi.example.org': { TXT: [PLAIN] } }, false],
  ])('%s', async (_, literal, isEnough) => {
    expect((await inspect(literal).result).valid).toBe(isEnough);
  });

  test('that receivers do not apply is not called a record without a policy', async () => {
    const { errors } = await inspect(policy('v=DMARC1; p=reject; sp=bob')).result;
    expect(errors).toEqual([expect.stringContaining('its DMARC record is void')]);
  });

  test('of the organizational domain is required in addition to that of the domain', async () => {
    const literal = {
      ...policy('v=DMARC1; p=none'),
      '_dmarc.news.example.org': REJECT,
    };
    const result = await inspect(literal, pages, { domain: 'news.example.org' }).result;
    expect(result.errors).toEqual([expect.stringContaining('not enforced for example.org')]);
  });

  test.each([
    ['none', 'v=DMARC1; p=none; sp=reject', 'the policy is none'],
    ['quarantine with pct below 100', 'v=DMARC1; p=quarantine; sp=reject; pct=50', 'pct=50'],
  ])('of the organizational domain counts as %s if its subdomain policy applies', async (_, text, found) => {
    const result = await inspect(policy(text), pages, { domain: 'news.example.org' }).result;
    expect(result.errors).toEqual([expect.stringContaining(found)]);
  });

  test('whose lookup failed leaves the state unknown', async () => {
    const result = await inspect(names(PLAIN, { '_dmarc.example.org': 'TIMEOUT' })).result;
    expect(result).toMatchObject({ state: 'unknown', errors: [], warnings: [], logoValid: true });
  });
});

describe('the logo', () => {
  const logoOnly = (
    answer: FakePage | Fault | undefined,
  ): [ZoneLiteral, Record<string, FakePage | Fault>] => [
    names(PLAIN),
    answer === undefined ? {} : { [LOGO_URL]: answer },
  ];

  test.each<[string, FakePage | Fault | undefined, string, string]>([
    ['on a host without an address', undefined, 'fail', 'bimi-fetch-failed logo'],
    ['that does not exist', logo('', { httpStatus: 404 }), 'fail', 'bimi-fetch-failed logo'],
    ['behind a bad certificate', 'certificate', 'fail', 'bimi-fetch-failed logo'],
    ['far above the size limit', logo('x'.repeat(70_000)), 'fail', 'bimi-fetch-failed logo'],
    ['on a host that is down', 'timeout', 'unknown', 'bimi-fetch-unavailable logo'],
    ['on a host that is overloaded', logo('', { httpStatus: 503 }), 'unknown', 'bimi-fetch-unavailable logo'],
  ])('%s cannot be fetched', async (_, answer, state, finding) => {
    const result = await inspect(...logoOnly(answer)).result;
    const { id, subject } = result.findings[0] ?? {};
    expect([result.state, `${id} ${subject}`]).toEqual([state, finding]);
  });

  test.each<[string, FakePage, string, boolean, string]>([
    [
      'that violates the profile',
      logo(LOGO.replace('tiny-ps', 'full')),
      'fail',
      false,
      'bimi-logo-attribute-value baseProfile',
    ],
    ['that is a web page', logo('<!DOCTYPE html>'), 'fail', false, 'bimi-logo-unreadable'],
    [
      'slightly above the size limit',
      logo(LOGO.replace('<circle', `<!--${'x'.repeat(33_000)}--><circle`)),
      'warning',
      true,
      'bimi-logo-too-large',
    ],
    ['of another media type', logo(LOGO, { type: 'text/plain' }), 'warning', true, 'bimi-logo-media-type'],
    ['that is compressed', logo(gzipSync(LOGO)), 'warning', true, 'bimi-logo-compressed'],
  ])('%s is reported', async (_, answer, state, logoValid, finding) => {
    const { findings, ...result } = await inspect(...logoOnly(answer)).result;
    expect(result).toMatchObject({ state, logoFetched: true, logoValid });
    expect(findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`))).toContain(
      finding,
    );
  });

  test('is not unpacked beyond the size limit', async () => {
    const bomb = logo(gzipSync(Buffer.alloc(10_000_000)));
    expect(await findingsOf(...logoOnly(bomb))).toContain('bimi-logo-unreadable');
  });
});

describe('the authority evidence', () => {
  const withEvidence = (answer: FakePage | Fault) =>
    [names(RECORD), { ...pages, [MARK_URL]: answer }] as const;

  test('is reported as unverified without anchors, which is not a failure of the domain', async () => {
    expect(await findingsOf(names(RECORD), pages, { anchors: [] })).toContain('bimi-evidence-unanchored');
  });

  test.each<[string, FakePage | Fault, string, string]>([
    ['that does not exist', { httpStatus: 404 }, 'fail', 'bimi-fetch-failed authority evidence'],
    ['on a host that is down', 'connection', 'unknown', 'bimi-fetch-unavailable authority evidence'],
    ['that is not a certificate', { body: 'x' }, 'fail', 'bimi-evidence-unreadable'],
    [
      'for another logo',
      { body: Object.values(markChain({ logo: '<svg/>' })).join('') },
      'fail',
      'bimi-evidence-logo-differs',
    ],
  ])('%s', async (_, answer, state, finding) => {
    const { findings, ...result } = await inspect(...withEvidence(answer)).result;
    expect(result.state).toBe(state);
    expect(findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`))).toContain(
      finding,
    );
  });

  test('is compared with the unpacked logo', async () => {
    const web = { ...pages, [LOGO_URL]: logo(gzipSync(LOGO)) };
    expect(await findingsOf(names(RECORD), web)).toEqual([
      'bimi-logo-compressed',
      'bimi-evidence-not-verified',
    ]);
  });
});
