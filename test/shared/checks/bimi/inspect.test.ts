import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { type BimiOptions, inspectBimi } from '../../../../shared/checks/bimi/inspect.ts';
import { messageOf } from '../../../kit/findings.ts';
import { markChain } from '../../../kit/mark-certificates.ts';
import { recorded } from '../../../kit/recorded.ts';
import { type FakePage, type Fault, fakeWeb } from '../../../kit/web.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';
import { networkOf } from '../../protocol/findings/cases/example.ts';

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

type Pages = Readonly<Record<string, FakePage | Fault>>;
interface Options extends BimiOptions {
  readonly domain?: string;
  readonly delay?: number;
}

function inspect(
  literal: ZoneLiteral,
  answers: Pages = pages,
  { domain = 'example.org', delay = 0, ...options }: Options = {},
) {
  const dns = zone(literal, { delayMilliseconds: delay });
  const web = fakeWeb(answers, delay);
  const anchored = { anchors: [chain.root], ...options };
  const result = inspectBimi(domain, networkOf({ dns, web }), anchored).then((found) =>
    recorded(found, usual),
  );
  return { result, dns, web };
}

test('queries the record and DMARC concurrently, then fetches logo and evidence concurrently', async () => {
  const { result, dns, web } = inspect(names(RECORD), pages, { delay: 20 });
  expect(dns.questions).toEqual(
    expect.arrayContaining(['default._bimi.example.org TXT', '_dmarc.example.org TXT']),
  );
  await result;
  expect(web.requests.map(({ url }) => url)).toEqual([LOGO_URL, MARK_URL]);
});

const own = (TXT: string[] | 'SERVFAIL') => names('', { 'default._bimi.example.org': { TXT } });

test.each<[what: string, ZoneLiteral]>([
  ['that does not exist', { '_dmarc.example.org': REJECT }],
  ['that declines BIMI', own(['v=BIMI1; l=; a=;'])],
  ['in another case', own([`v=bimi1; l=${LOGO_URL}`])],
  ['without a location', own(['v=BIMI1;'])],
  ['beside another BIMI record', own([PLAIN, RECORD])],
  ['whose lookup failed', own('SERVFAIL')],
  [
    'that receivers reject is parsed as far as possible',
    own([`v=BIMI1; l=http://b.org/l.svg; a=${MARK_URL}`]),
  ],
])('nothing is fetched for a record %s', async (_, literal) => {
  const { result, web } = inspect(literal);
  await result;
  expect(web.requests).toEqual([]);
});

const sub = { domain: 'news.example.org' };
const below = (node: ZoneLiteral[string], record = PLAIN) =>
  names(record, { 'default._bimi.news.example.org': node });
const policy = (...TXT: string[]) => names(PLAIN, { '_dmarc.example.org': { TXT } });
const logoIs = (answer: FakePage | Fault): Pages => ({ [LOGO_URL]: answer });
const evidenceIs = (answer: FakePage | Fault): Pages => ({ ...pages, [MARK_URL]: answer });
const large = LOGO.replace('<circle', `<!--${'x'.repeat(33_000)}--><circle`);

test.each<[what: string, ZoneLiteral, Pages?, Options?]>([
  ['a fully configured domain passes', names(RECORD)],
  [
    'another selector is checked on request',
    names('v=BIMI1; l=; a=', { 'brand._bimi.example.org': { TXT: [PLAIN] } }),
    pages,
    { selector: 'brand' },
  ],
  ['a record applies to a subdomain without one', names(PLAIN), pages, sub],
  ['a record does not apply to a subdomain that declines', below({ TXT: ['v=BIMI1; l=; a='] }), pages, sub],
  ['a record does not replace one whose lookup failed', below('TIMEOUT'), pages, sub],
  ['a failed lookup above leaves the state unknown', own('SERVFAIL'), pages, sub],
  ['a subdomain may have a certificate for the organizational domain', names(RECORD), pages, sub],
  ['p=quarantine is enough', policy('v=DMARC1; p=quarantine')],
  ['p=reject with pct below 100 is enough', policy('v=DMARC1; p=reject; pct=10')],
  ['p=none is not enough', policy('v=DMARC1; p=none')],
  ['p=quarantine with pct below 100 is not enough', policy('v=DMARC1; p=quarantine; pct=99')],
  ['sp=none is not enough', policy('v=DMARC1; p=reject; sp=none')],
  ['p=quarantine in test mode is not enough', policy('v=DMARC1; p=quarantine; t=y')],
  ['several records are not enough', policy('v=DMARC1; p=reject', 'v=DMARC1; p=none')],
  ['p=none with a stricter sp is not enough', policy('v=DMARC1; p=none; sp=reject')],
  ['no DMARC record is not enough', { 'default._bimi.example.org': { TXT: [PLAIN] } }],
  [
    'DMARC of the organizational domain is required in addition to that of the domain',
    { ...policy('v=DMARC1; p=none'), '_dmarc.news.example.org': REJECT },
    pages,
    sub,
  ],
  ['p=none counts although sp applies', policy('v=DMARC1; p=none; sp=reject'), pages, sub],
  ['pct counts although sp applies', policy('v=DMARC1; p=quarantine; sp=reject; pct=50'), pages, sub],
  ['a failed lookup of DMARC leaves the state unknown', names(PLAIN, { '_dmarc.example.org': 'TIMEOUT' })],
  ['a logo on a host without an address fails', names(PLAIN), {}],
  ['a logo that does not exist fails', names(PLAIN), logoIs(logo('', { httpStatus: 404 }))],
  ['a logo behind a bad certificate fails', names(PLAIN), logoIs('certificate')],
  ['a logo far above the size limit fails', names(PLAIN), logoIs(logo('x'.repeat(70_000)))],
  ['a logo on a host that is down is unknown', names(PLAIN), logoIs('timeout')],
  ['a logo on an overloaded host is unknown', names(PLAIN), logoIs(logo('', { httpStatus: 503 }))],
  ['a logo that violates the profile fails', names(PLAIN), logoIs(logo(LOGO.replace('tiny-ps', 'full')))],
  ['a web page is no logo', names(PLAIN), logoIs(logo('<!DOCTYPE html>'))],
  ['a logo slightly above the size limit is reported', names(PLAIN), logoIs(logo(large))],
  ['a logo of another media type is reported', names(PLAIN), logoIs(logo(LOGO, { type: 'text/plain' }))],
  ['a compressed logo is reported', names(PLAIN), logoIs(logo(gzipSync(LOGO)))],
  [
    'a logo is not unpacked beyond the size limit',
    names(PLAIN),
    logoIs(logo(gzipSync(Buffer.alloc(10_000_000)))),
  ],
  ['evidence without anchors is unverified, which is no failure', names(RECORD), pages, { anchors: [] }],
  ['evidence that does not exist fails', names(RECORD), evidenceIs({ httpStatus: 404 })],
  ['evidence on a host that is down is unknown', names(RECORD), evidenceIs('connection')],
  ['evidence that is not a certificate fails', names(RECORD), evidenceIs({ body: 'x' })],
  [
    'evidence for another logo fails',
    names(RECORD),
    evidenceIs({ body: Object.values(markChain({ logo: '<svg/>' })).join('') }),
  ],
  [
    'evidence is compared with the unpacked logo',
    names(RECORD),
    { ...pages, [LOGO_URL]: logo(gzipSync(LOGO)) },
  ],
])('%s', async (_, ...given) => {
  await inspect(...given).result;
});

test('a DMARC record that receivers do not apply is not called a record without a policy', async () => {
  const { findings } = await inspect(policy('v=DMARC1; p=reject; sp=bob')).result;
  expect(messageOf(findings[0])).toContain('its DMARC record is void');
});
