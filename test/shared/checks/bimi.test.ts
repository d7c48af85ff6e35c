import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type BimiOptions, inspectBimi } from '../../../shared/checks/bimi.ts';
import { markChain } from '../../kit/mark-certificates.ts';
import { type FakePage, type Fault, fakeWeb } from '../../kit/web.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

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
  return { result: inspectBimi(domain, { dns, web: fake, smtp, clock }, anchored), dns, web: fake };
}

async function told(...args: Parameters<typeof inspect>): Promise<string[]> {
  const { findings } = await inspect(...args).result;
  return findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`));
}

test('a domain that does everything right passes', async () => {
  const { findings, ...rest } = await inspect(names(RECORD)).result;
  expect(rest).toEqual({
    state: 'pass',
    selector: 'default',
    record: RECORD,
    version: 'BIMI1',
    location: LOGO_URL,
    authority: MARK_URL,
    logoFetched: true,
    logoValid: true,
    logoContentType: 'image/svg+xml',
    valid: true,
    errors: [],
    warnings: [],
  });
  expect(findings.map(({ id }) => id)).toEqual(['bimi-evidence-not-verified']);
});

test('record and DMARC are asked for at once, then logo and evidence at once', async () => {
  const { result, dns, web } = inspect(names(RECORD), pages, { delay: 20 });
  expect(dns.questions).toEqual(
    expect.arrayContaining(['default._bimi.example.org TXT', '_dmarc.example.org TXT']),
  );
  await result;
  expect(web.requests.map(({ url }) => url)).toEqual([LOGO_URL, MARK_URL]);
});

test('another selector can be asked for', async () => {
  const literal = names('v=BIMI1; l=; a=', { 'brand._bimi.example.org': { TXT: [PLAIN] } });
  expect(await inspect(literal, pages, { selector: 'brand' }).result).toMatchObject({
    state: 'pass',
    selector: 'brand',
    record: PLAIN,
  });
});

describe('the record', () => {
  test.each<[string, ZoneLiteral, string, readonly string[]]>([
    ['that is not there', { '_dmarc.example.org': REJECT }, 'absent', ['bimi-missing']],
    ['that declines', names('v=BIMI1; l=; a=;'), 'absent', ['bimi-declined']],
    ['of another case', names(`v=bimi1; l=${LOGO_URL}`), 'fail', ['bimi-record-ignored']],
    ['without location', names('v=BIMI1;'), 'fail', ['bimi-location-missing']],
    [
      'that has another beside it',
      names('', { 'default._bimi.example.org': { TXT: [PLAIN, RECORD] } }),
      'fail',
      ['bimi-multiple-records'],
    ],
    [
      'that could not be asked',
      names('', { 'default._bimi.example.org': 'SERVFAIL' }),
      'unknown',
      ['bimi-record-unavailable'],
    ],
  ])('%s', async (_, literal, state, findings) => {
    const { result, web } = inspect(literal);
    expect(await result).toMatchObject({ state, valid: false, logoFetched: false, logoValid: false });
    expect(await told(literal)).toEqual(findings);
    expect(web.requests).toEqual([]);
  });

  test('that receivers do not take is shown as far as it can be read, and nothing is fetched', async () => {
    const { result, web } = inspect(names(`v=BIMI1; l=http://example.org/logo.svg; a=${MARK_URL}`));
    expect(await result).toMatchObject({
      state: 'fail',
      valid: false,
      version: 'BIMI1',
      location: 'http://example.org/logo.svg',
      authority: MARK_URL,
    });
    expect(web.requests).toEqual([]);
  });

  describe('of the organizational domain', () => {
    const domain = 'news.example.org';

    test('applies where a domain has none', async () => {
      expect(await inspect(names(PLAIN), pages, { domain }).result).toMatchObject({
        state: 'pass',
        record: PLAIN,
      });
      expect(await told(names(PLAIN), pages, { domain })).toEqual(['bimi-inherited', 'bimi-no-evidence']);
    });

    test('does not apply where a domain declines', async () => {
      const literal = names(PLAIN, { 'default._bimi.news.example.org': { TXT: ['v=BIMI1; l=; a='] } });
      expect(await inspect(literal, pages, { domain }).result).toMatchObject({ state: 'absent' });
    });

    test('does not stand in for one that could not be asked', async () => {
      const literal = names(PLAIN, { 'default._bimi.news.example.org': 'TIMEOUT' });
      expect(await inspect(literal, pages, { domain }).result).toMatchObject({
        state: 'unknown',
        record: null,
      });
    });

    test('leaves the state unknown where it could not be asked', async () => {
      const literal = names('', { 'default._bimi.example.org': 'TIMEOUT' });
      expect(await inspect(literal, pages, { domain }).result).toMatchObject({
        state: 'unknown',
        record: null,
      });
    });

    test('may have a certificate of the organizational domain', async () => {
      expect(await inspect(names(RECORD), pages, { domain }).result).toMatchObject({
        state: 'pass',
        valid: true,
      });
    });
  });
});

describe('DMARC', () => {
  const policy = (text: string) => names(PLAIN, { '_dmarc.example.org': { TXT: [text] } });
  test.each<[string, ZoneLiteral, boolean]>([
    ['reject is enough', policy('v=DMARC1; p=reject'), true],
    ['quarantine is enough', policy('v=DMARC1; p=quarantine'), true],
    ['reject of a part is enough', policy('v=DMARC1; p=reject; pct=10'), true],
    ['none is not enough', policy('v=DMARC1; p=none'), false],
    ['quarantine of a part is not enough', policy('v=DMARC1; p=quarantine; pct=99'), false],
    ['none for subdomains is not enough', policy('v=DMARC1; p=reject; sp=none'), false],
    ['a test of quarantine is not enough', policy('v=DMARC1; p=quarantine; t=y'), false],
    [
      'several records are not enough',
      names(PLAIN, { '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] } }),
      false,
    ],
    ['none beside a policy for subdomains is not enough', policy('v=DMARC1; p=none; sp=reject'), false],
    ['no record is not enough', { 'default._bimi.example.org': { TXT: [PLAIN] } }, false],
  ])('%s', async (_, literal, isEnough) => {
    const result = await inspect(literal).result;
    expect(result).toMatchObject({ state: isEnough ? 'pass' : 'fail', valid: isEnough, logoValid: true });
    expect((await told(literal)).includes('bimi-dmarc-not-enforced')).toBe(!isEnough);
  });

  test('of the organizational domain counts beside that of the domain', async () => {
    const literal = {
      ...policy('v=DMARC1; p=none'),
      '_dmarc.news.example.org': REJECT,
    };
    const result = await inspect(literal, pages, { domain: 'news.example.org' }).result;
    expect(result.errors).toEqual([expect.stringContaining('not enforced for example.org')]);
  });

  test.each([
    ['none', 'v=DMARC1; p=none; sp=reject', 'the policy is none'],
    ['quarantine of a part', 'v=DMARC1; p=quarantine; sp=reject; pct=50', 'pct=50'],
  ])(
    'of the organizational domain counts as %s where its subdomain policy applies',
    async (_, text, found) => {
      const result = await inspect(policy(text), pages, { domain: 'news.example.org' }).result;
      expect(result.errors).toEqual([expect.stringContaining(found)]);
    },
  );

  test('that could not be asked leaves the state unknown', async () => {
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
    ['on a host without address', undefined, 'fail', 'bimi-fetch-failed logo'],
    ['that is not there', logo('', { httpStatus: 404 }), 'fail', 'bimi-fetch-failed logo'],
    ['behind a bad certificate', 'certificate', 'fail', 'bimi-fetch-failed logo'],
    ['that is far too large', logo('x'.repeat(70_000)), 'fail', 'bimi-fetch-failed logo'],
    ['on a host that is down', 'timeout', 'unknown', 'bimi-fetch-unavailable logo'],
    ['on a host that is overloaded', logo('', { httpStatus: 503 }), 'unknown', 'bimi-fetch-unavailable logo'],
  ])('%s is not fetched', async (_, answer, state, finding) => {
    const result = await inspect(...logoOnly(answer)).result;
    expect(result).toMatchObject({ state, valid: false, logoFetched: false, logoValid: false });
    expect(await told(...logoOnly(answer))).toEqual([finding, 'bimi-no-evidence']);
  });

  test.each<[string, FakePage, string, boolean, string]>([
    [
      'outside the profile',
      logo(LOGO.replace('tiny-ps', 'full')),
      'fail',
      false,
      'bimi-logo-attribute-value baseProfile',
    ],
    ['that is a web page', logo('<!DOCTYPE html>'), 'fail', false, 'bimi-logo-unreadable'],
    [
      'somewhat too large',
      logo(LOGO.replace('<circle', `<!--${'x'.repeat(33_000)}--><circle`)),
      'warning',
      true,
      'bimi-logo-too-large',
    ],
    ['of another media type', logo(LOGO, { type: 'text/plain' }), 'warning', true, 'bimi-logo-media-type'],
    ['that is compressed', logo(gzipSync(LOGO)), 'warning', true, 'bimi-logo-compressed'],
  ])('%s is told', async (_, answer, state, logoValid, finding) => {
    const result = await inspect(...logoOnly(answer)).result;
    expect(result).toMatchObject({ state, logoFetched: true, logoValid, valid: logoValid });
    expect(await told(...logoOnly(answer))).toContain(finding);
  });

  test('that unpacks without end is not unpacked', async () => {
    const bomb = logo(gzipSync(Buffer.alloc(10_000_000)));
    expect(await inspect(...logoOnly(bomb)).result).toMatchObject({ state: 'fail', logoValid: false });
    expect(await told(...logoOnly(bomb))).toContain('bimi-logo-unreadable');
  });
});

describe('the authority evidence', () => {
  const withEvidence = (answer: FakePage | Fault) =>
    [names(RECORD), { ...pages, [MARK_URL]: answer }] as const;

  test('without anchors is told to be unverified, which is no failure of the domain', async () => {
    expect(await inspect(names(RECORD), pages, { anchors: [] }).result).toMatchObject({
      state: 'pass',
      valid: true,
    });
    expect(await told(names(RECORD), pages, { anchors: [] })).toContain('bimi-evidence-unanchored');
  });

  test.each<[string, FakePage | Fault, string, string]>([
    ['that is not there', { httpStatus: 404 }, 'fail', 'bimi-fetch-failed authority evidence'],
    ['on a host that is down', 'connection', 'unknown', 'bimi-fetch-unavailable authority evidence'],
    ['that is no certificate', { body: 'x' }, 'fail', 'bimi-evidence-unreadable'],
    [
      'of another logo',
      { body: Object.values(markChain({ logo: '<svg/>' })).join('') },
      'fail',
      'bimi-evidence-logo-differs',
    ],
  ])('%s', async (_, answer, state, finding) => {
    expect(await inspect(...withEvidence(answer)).result).toMatchObject({
      state,
      valid: false,
      logoValid: true,
    });
    expect(await told(...withEvidence(answer))).toContain(finding);
  });

  test('is compared with the unpacked logo', async () => {
    const web = { ...pages, [LOGO_URL]: logo(gzipSync(LOGO)) };
    expect(await told(names(RECORD), web)).toEqual(['bimi-logo-compressed', 'bimi-evidence-not-verified']);
  });
});
