import { describe, expect, test } from '@jest/globals';
import { parseBimiRecord, readBimiRecords } from '../../../../shared/protocol/bimi/record.ts';
import { corpusJson, corpusSuite, scoredVectors } from '../../../kit/corpus.ts';
import { mutations } from '../mutations.ts';

const ids = (text: string) => parseBimiRecord(text).findings.map(({ id }) => id);
const LOGO = 'https://example.org/logo.svg';

describe('a record by section 4.3 of the draft', () => {
  test('is read tag by tag', () => {
    const text = `v=BIMI1; l=${LOGO}; a=https://example.org/mark.pem; avp=personal; lps=true;`;
    expect(parseBimiRecord(text)).toMatchObject({
      record: {
        version: 'BIMI1',
        location: LOGO,
        authority: 'https://example.org/mark.pem',
        avatarPreference: 'personal',
        localPartSelector: true,
        declined: false,
      },
      findings: [],
    });
  });

  test.each([
    ['may leave out the evidence', `v=BIMI1; l=${LOGO}`, { location: LOGO, authority: null }],
    ['may leave the evidence empty', `v=BIMI1; l=${LOGO}; a=`, { location: LOGO, authority: null }],
    ['may have white space around its parts', `v = BIMI1 ;l =  ${LOGO} `, { location: LOGO }],
    ['may have its other tags in any order', `v=BIMI1; a=; l=${LOGO}`, { location: LOGO }],
    ['may decline BIMI (section 4.3.1)', 'v=BIMI1; l=; a=;', { location: null, declined: true }],
    ['may decline BIMI without an evidence tag', 'v=BIMI1; l=', { location: null, declined: true }],
    ['prefers the brand by default', `v=BIMI1; l=${LOGO}`, { avatarPreference: 'brand' }],
  ])('%s', (_, text, expected) => {
    expect(parseBimiRecord(text)).toMatchObject({ record: expected, findings: [] });
  });

  test.each([
    ['an unknown tag, which is ignored', `v=BIMI1; l=${LOGO}; z=1`, 'bimi-tags-unknown'],
    ['an unknown preference, which is ignored', `v=BIMI1; l=${LOGO}; avp=logo`, 'bimi-value-ignored'],
    ['an unknown lps, which is ignored', `v=BIMI1; l=${LOGO}; lps=yes`, 'bimi-value-ignored'],
  ])('reports %s', (_, text, id) => {
    expect(parseBimiRecord(text).valid).toBe(true);
    expect(ids(text)).toEqual([id]);
  });
});

describe('a record that receivers ignore', () => {
  test.each([
    ['the version in another case', `v=bimi1; l=${LOGO}`, 'bimi-record-ignored'],
    ['another version', `v=BIMI2; l=${LOGO}`, 'bimi-record-ignored'],
    ['a version that is not first', `l=${LOGO}; v=BIMI1`, 'bimi-record-ignored'],
    ['no version', `l=${LOGO}`, 'bimi-record-ignored'],
    ['no location tag', 'v=BIMI1; a=https://example.org/mark.pem', 'bimi-location-missing'],
    ['evidence without a location', 'v=BIMI1; l=; a=https://example.org/mark.pem', 'bimi-location-empty'],
    ['a location without TLS', 'v=BIMI1; l=http://example.org/logo.svg', 'bimi-uri-invalid'],
    ['a relative location', 'v=BIMI1; l=/logo.svg', 'bimi-uri-invalid'],
    ['a location at an IP address', 'v=BIMI1; l=https://192.0.2.1/logo.svg', 'bimi-uri-invalid'],
    ['a location at a disguised IP address', 'v=BIMI1; l=https://0x7f.1/logo.svg', 'bimi-uri-invalid'],
    ['a location at an IPv6 address', 'v=BIMI1; l=https://[2001:db8::1]/logo.svg', 'bimi-uri-invalid'],
    ['a location with a single label', 'v=BIMI1; l=https://localhost/logo.svg', 'bimi-uri-invalid'],
    ['a location with a password', 'v=BIMI1; l=https://a:b@example.org/logo.svg', 'bimi-uri-invalid'],
    ['two locations', `v=BIMI1; l=${LOGO},${LOGO}`, 'bimi-uri-invalid'],
    ['a location with a space', 'v=BIMI1; l=https://example.org/my logo.svg', 'bimi-uri-invalid'],
    ['evidence without TLS', `v=BIMI1; l=${LOGO}; a=http://example.org/mark.pem`, 'bimi-uri-invalid'],
    ['a location of another format', 'v=BIMI1; l=https://example.org/logo.PNG', 'bimi-location-not-svg'],
    ['a tag twice', `v=BIMI1; l=${LOGO}; l=${LOGO}`, 'bimi-tags-repeated'],
    ['a malformed tag', `v=BIMI1; l=${LOGO}; more`, 'bimi-record-malformed'],
  ])('has %s', (_, text, id) => {
    expect(parseBimiRecord(text).valid).toBe(false);
    expect(ids(text)).toContain(id);
  });

  test('is still parsed', () => {
    const text = 'v=BIMI1; l=http://example.org/logo.svg; a=mark.pem; more';
    expect(parseBimiRecord(text)).toMatchObject({
      valid: false,
      record: { version: 'BIMI1', location: 'http://example.org/logo.svg', authority: 'mark.pem' },
    });
  });

  test('is not parsed without the version at the start', () => {
    expect(parseBimiRecord(`l=${LOGO}; v=BIMI1`).record).toBeNull();
  });
});

describe('the records of a name (section 7.2)', () => {
  const good = `v=BIMI1; l=${LOGO}`;
  test.each<[string, readonly string[], string | null, readonly string[]]>([
    ['are none if no TXT record is one', ['v=spf1 -all', ''], null, []],
    ['are found among others', ['v=spf1 -all', 'v=BIMI2; x=y', good], good, []],
    ['are invalid if there are several', [good, 'v=BIMI1; l='], good, ['bimi-multiple-records']],
    ['are reported if the only one is ignored', [`"${good}"`], `"${good}"`, ['bimi-record-ignored']],
    ['are reported if the version is missing', [`l=${LOGO}; a=`], `l=${LOGO}; a=`, ['bimi-record-ignored']],
    [
      'are reported if text precedes the version',
      [`\u201c${good}`],
      `\u201c${good}`,
      ['bimi-record-ignored'],
    ],
  ])('%s', (_, texts, text, findings) => {
    const read = readBimiRecords(texts);
    expect(read.text).toBe(text);
    expect(read.findings.map(({ id }) => id)).toEqual(findings);
  });
});

test('the parser always ends, and accepts no logo that is not on HTTPS', () => {
  const seeds = [`v=BIMI1; l=${LOGO}; a=https://example.org/m.pem; avp=brand`, 'v=BIMI1;l=;a=;lps=true'];
  for (const text of mutations(seeds, 5_000)) {
    const { record, valid } = parseBimiRecord(text);
    if (valid) expect(record?.location ?? 'https://').toMatch(/^https:\/\//i);
  }
});

corpusSuite('the public vectors of BIMI records', () => {
  for (const { id, input, origin_verdict } of scoredVectors('records/008-bimi-record.json')) {
    test(`${id}: ${JSON.stringify(input)} is ${origin_verdict}`, () => {
      expect(parseBimiRecord(input).valid).toBe(origin_verdict === 'valid');
    });
  }

  test('parses records quoted in public', () => {
    const { cases } = corpusJson('records/007-real-bimi.json');
    expect(cases.length).toBeGreaterThan(20);
    for (const { record: text, tags } of cases) {
      const { record, valid, findings } = parseBimiRecord(text);
      if (!valid) expect(findings).not.toEqual([]);
      else expect(record).toMatchObject({ location: tags.l || null, authority: tags.a || null });
    }
  });
});
