import { describe, expect, test } from '@jest/globals';
import { parseDmarcRecord, printDmarcRecord } from '../../../../shared/protocol/dmarc/record.ts';
import { mutations } from '../mutations.ts';

function read(text: string) {
  const parsed = parseDmarcRecord(text);
  if (!parsed.ok) throw new Error(`not a record: ${text}`);
  return parsed;
}

/** The findings as `id` or `id subject`. */
function told(text: string): string[] {
  return read(text).findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`));
}

const RUA = 'rua=mailto:a@example.org';

describe('the version decides whether a text is a DMARC record (RFC 9989 section 4.7)', () => {
  test.each([
    ['alone', 'v=DMARC1', true, undefined],
    ['with white space around it', 'v \t= DMARC1 ;p=none', true, undefined],
    ['with its name in upper case', 'V=DMARC1;p=none', true, undefined],
    ['in lower case', 'v=dmarc1; p=none', false, true],
    ['followed by more characters', 'v=DMARC12; p=none', false, true],
    ['not followed by a semicolon', 'v=DMARC1 p=none', false, true],
    ['in quotes', '"v=DMARC1; p=none"', false, true],
    ['behind another tag', 'p=none; v=DMARC1', false, true],
    ['behind something malformed', 'x; v=DMARC1', false, true],
    ['behind a letter too many', 'nv=DMARC1; p=none', false, true],
    ['behind a quote of a word processor', '\u201cv=DMARC1; p=none\u201d', false, true],
    ['behind the name of the record', '_dmarc.example.org. TXT "v=DMARC1; p=none"', false, true],
    ['without its tag', 'DMARC1; p=none', false, true],
    ['of another protocol', 'v=spf1 -all', false, false],
    ['of another protocol that names DMARC', 'v=spf1 include:dmarc.example.org -all', false, false],
    ['missing', 'p=none', false, false],
    ['of an empty record', '', false, false],
  ])('%s', (_, text, ok, resembles) => {
    expect(parseDmarcRecord(text)).toMatchObject(ok ? { ok } : { ok, resembles });
  });
});

describe('a record', () => {
  test('is read tag by tag', () => {
    const text =
      'v=DMARC1; p=reject; sp=quarantine; np=none; adkim=s; aspf=s; fo=1:d; t=y; psd=n; pct=25; ' +
      'rua=mailto:a@Example.ORG,mailto:b%40c@example.net!10m; ruf=mailto:f@example.org; x=y';
    expect(read(text).record).toMatchObject({
      p: 'reject',
      sp: 'quarantine',
      np: 'none',
      adkim: 's',
      aspf: 's',
      fo: ['1', 'd'],
      t: 'y',
      psd: 'n',
      pct: 25,
      rua: [
        { uri: 'mailto:a@Example.ORG', scheme: 'mailto', host: 'example.org', sized: false },
        { uri: 'mailto:b%40c@example.net', scheme: 'mailto', host: 'example.net', sized: true },
      ],
      ruf: [{ host: 'example.org' }],
      applied: { p: 'reject', sp: 'quarantine', np: 'none' },
    });
  });

  test('has defaults for what it does not say', () => {
    expect(read('v=DMARC1; p=none').record).toMatchObject({
      sp: null,
      np: null,
      adkim: 'r',
      aspf: 'r',
      fo: ['0'],
      t: 'n',
      psd: 'u',
      pct: 100,
      rua: [],
      ruf: [],
    });
  });

  test('that is in order is told nothing about', () => {
    expect(
      told(`v=DMARC1; p=reject; sp=reject; np=reject; adkim=s; aspf=r; ${RUA}; fo=1:d:s; ruf=mailto:a@b.c`),
    ).toEqual([]);
  });

  test('has its words in any case (RFC 5234 section 2.3)', () => {
    expect(told(`v=DMARC1;p=ReJect;sp=REJECT;adkim=S;t=N;psd=U;${RUA}`)).toEqual([]);
  });
});

describe('what applies (RFC 9989 section 4.10.1)', () => {
  test.each([
    ['p alone applies to all', 'p=reject', ['reject', 'reject', 'reject']],
    ['sp applies to subdomains, existing or not', 'p=reject; sp=none', ['reject', 'none', 'none']],
    [
      'np applies to non-existent subdomains',
      'p=none; sp=quarantine; np=reject',
      ['none', 'quarantine', 'reject'],
    ],
    ['np without sp leaves existing subdomains to p', 'p=none; np=reject', ['none', 'none', 'reject']],
    ['no p, with rua: none', RUA, ['none', 'none', 'none']],
    ['invalid p, with rua: none', `p=bob; ${RUA}`, ['none', 'none', 'none']],
    ['invalid sp, with rua: none throughout', `p=reject; sp=bob; ${RUA}`, ['none', 'none', 'none']],
    ['invalid np, with rua: none throughout', `p=reject; np=bob; ${RUA}`, ['none', 'none', 'none']],
    ['no p, no rua: nothing', 'sp=reject', undefined],
    ['no p, rua that is no URI: nothing', 'rua=a@example.org', undefined],
    ['invalid sp, no rua: nothing', 'p=reject; sp=bob', undefined],
  ])('%s', (_, tags, expected) => {
    const { applied } = read(`v=DMARC1; ${tags}`).record;
    expect(applied === null ? undefined : [applied.p, applied.sp, applied.np]).toEqual(expected);
  });
});

describe('each departure is told', () => {
  test.each([
    ['a tag without =', `p=none; bogus; ${RUA}`, ['dmarc-malformed-tags']],
    ['a name that is none', `p=none; 1future=x; ${RUA}`, ['dmarc-malformed-tags']],
    ['a surplus semicolon', `p=none;; ${RUA}`, ['dmarc-empty-tags']],
    ['a tag twice', `p=none; p=reject; ${RUA}`, ['dmarc-duplicate-tags']],
    ['a tag twice in two cases', `p=none; P=reject; ${RUA}`, ['dmarc-duplicate-tags']],
    ['a tag name in upper case', `P=none; ${RUA}`, ['dmarc-tag-name-case']],
    ['a tag DMARC does not have', `p=none; ruo=x; ${RUA}`, ['dmarc-unknown-tags']],
    ['a tag named like a property of objects', `p=none; constructor=x; ${RUA}`, ['dmarc-unknown-tags']],
    ['a value p does not have', `p=rej; ${RUA}`, ['dmarc-invalid-value p']],
    ['a value adkim does not have', `p=none; adkim=x; ${RUA}`, ['dmarc-invalid-value adkim']],
    ['a value aspf does not have', `p=none; aspf=; ${RUA}`, ['dmarc-invalid-value aspf']],
    ['a value t does not have', `p=none; t=x; ${RUA}`, ['dmarc-invalid-value t']],
    ['a value psd does not have', `p=none; psd=x; ${RUA}`, ['dmarc-invalid-value psd']],
    ['a value sp does not have, with rua', `p=none; sp=x; ${RUA}`, ['dmarc-invalid-subdomain-policy sp']],
    ['a value np does not have, with rua', `p=none; np=x; ${RUA}`, ['dmarc-invalid-subdomain-policy np']],
    [
      'a value sp does not have, without rua',
      'p=none; sp=x',
      ['dmarc-invalid-value sp', 'dmarc-not-applied', 'dmarc-missing-rua'],
    ],
    ['no policy, with rua', RUA, ['dmarc-missing-policy']],
    ['neither policy nor rua', 'adkim=s', ['dmarc-not-applied', 'dmarc-missing-rua']],
    ['p further back', `${RUA}; p=none`, ['dmarc-policy-not-second']],
    ['no rua', 'p=none', ['dmarc-missing-rua']],
    ['sp weaker than p', `p=reject; sp=quarantine; ${RUA}`, ['dmarc-weaker-subdomain-policy sp']],
    ['np weaker than p', `p=quarantine; np=none; ${RUA}`, ['dmarc-weaker-subdomain-policy np']],
    ['test mode', `p=reject; t=y; ${RUA}`, ['dmarc-testing']],
    ['pct under 100', `p=reject; pct=99; ${RUA}`, ['dmarc-partial']],
    ['pct of 100', `p=reject; pct=100; ${RUA}`, ['dmarc-removed-tag pct']],
    ['pct over 100', `p=reject; pct=101; ${RUA}`, ['dmarc-invalid-removed-tag pct']],
    ['pct that is no number', `p=reject; pct=all; ${RUA}`, ['dmarc-invalid-removed-tag pct']],
    ['ri', `p=reject; ri=3600; ${RUA}`, ['dmarc-removed-tag ri']],
    ['ri that does not fit 32 bits', `p=reject; ri=4294967296; ${RUA}`, ['dmarc-invalid-removed-tag ri']],
    ['rf', `p=reject; rf=afrf; ${RUA}`, ['dmarc-removed-tag rf']],
    ['rf without a value', `p=reject; rf=; ${RUA}`, ['dmarc-invalid-removed-tag rf']],
    ['fo without ruf', `p=none; fo=1; ${RUA}`, ['dmarc-fo-without-ruf']],
    ['fo with 0 and 1', `p=none; fo=0:1; ruf=mailto:a@b.c; ${RUA}`, ['dmarc-fo-conflict']],
    [
      'fo with a value it does not have',
      `p=none; fo=x; ruf=mailto:a@b.c; ${RUA}`,
      ['dmarc-invalid-value fo'],
    ],
    ['fo with a value twice', `p=none; fo=d:d; ruf=mailto:a@b.c; ${RUA}`, ['dmarc-invalid-value fo']],
    ['fo with values run together', `p=none; fo=01; ruf=mailto:a@b.c; ${RUA}`, ['dmarc-invalid-value fo']],
    ['an address that is no URI', 'p=none; rua=a@example.org', ['dmarc-malformed-uri rua']],
    ['an empty rua', 'p=none; rua=', ['dmarc-malformed-uri rua']],
    ['a comma at the end', `p=none; ${RUA},`, ['dmarc-malformed-uri rua']],
    ['a space inside a URI', 'p=none; rua=mailto:a b@example.org', ['dmarc-malformed-uri rua']],
    ['half a percent escape', 'p=none; rua=mailto:a%4@example.org', ['dmarc-malformed-uri rua']],
    ['a scheme no reporter supports', 'p=none; rua=https://example.org/', ['dmarc-unsupported-uri rua']],
    ['mailto without an address', 'p=none; rua=mailto:', ['dmarc-uri-without-address rua']],
    ['mailto with a path', 'p=none; rua=mailto://example.org', ['dmarc-uri-without-address rua']],
    ['mailto with slashes', 'p=none; rua=mailto://a@example.org', ['dmarc-uri-without-address rua']],
    ['a size', `p=none; ${RUA}!10m`, ['dmarc-uri-size rua']],
    ['a size with a unit there is not', `p=none; ${RUA}!10p`, ['dmarc-malformed-uri rua']],
    ['a size without a number', `p=none; ${RUA}!`, ['dmarc-malformed-uri rua']],
    ['a size nobody can hold', `p=none; ${RUA}!${'9'.repeat(40)}`, ['dmarc-malformed-uri rua']],
  ])('%s', (_, tags, expected) => {
    expect(told(`v=DMARC1; ${tags}`)).toEqual(expected);
  });

  test.each([
    ['an alignment mode', `p=reject; aspf=x; ${RUA}`, 'act as if aspf=r stood there'],
    ['failure options', `p=reject; fo=x; ruf=mailto:a@b.c; ${RUA}`, 'act as if fo=0 stood there'],
    ['a test mode', `p=reject; t=x; ${RUA}`, 'act as if t=n stood there'],
    ['a policy with rua', `p=x; ${RUA}`, 'act as if p=none stood there'],
    ['a policy without rua', 'p=x', 'apply no DMARC because of it'],
    ['a subdomain policy without rua', 'p=reject; sp=x', 'apply no DMARC because of it'],
  ])('%s that is none is told with what receivers make of it', (_, tags, effect) => {
    const { record, findings } = read(`v=DMARC1; ${tags}`);
    expect(findings.find(({ id }) => id === 'dmarc-invalid-value')?.message).toContain(effect);
    expect(record.applied === null).toBe(effect.startsWith('apply no'));
  });

  test('white space before the version', () => {
    expect(told(` v=DMARC1; p=none; ${RUA}`)).toEqual(['dmarc-leading-white-space']);
  });

  test('except test mode where there is no policy to test', () => {
    expect(told(`v=DMARC1; p=none; t=y; ${RUA}`)).toEqual([]);
  });
});

describe('hostile records', () => {
  const seeds = [
    `v=DMARC1; p=reject; sp=none; np=quarantine; adkim=s; aspf=r; fo=0:d; ${RUA}!10m,mailto:x@y.z; ruf=mailto:q@w.e`,
    'v=DMARC1;p=none;pct=5;ri=3600;rf=afrf;t=y;psd=y',
    'V = DMARC1 ; unknown = thing;;',
    'mailto:%41@b,https://x',
  ];

  test('never throw, and print as a record that reads back the same', () => {
    let records = 0;
    for (const text of mutations(seeds, 5000)) {
      const parsed = parseDmarcRecord(text);
      if (!parsed.ok) continue;
      records++;
      expect(read(printDmarcRecord(parsed.record)).record).toEqual(parsed.record);
    }
    expect(records).toBeGreaterThan(1000);
  });

  test.each([
    ['malformed tags', 'x;'],
    ['unknown tags', ''],
    ['duplicate tags', 'p=none;'],
  ])('of 64 KB of %s give few and short findings', (_, unit) => {
    const tags =
      unit === ''
        ? Array.from({ length: 8000 }, (__, n) => `t${n}=x;`).join('')
        : unit.repeat(65536 / unit.length);
    const { findings } = read(`v=DMARC1;p=none;${tags}`);
    expect(findings.length).toBeLessThan(5);
    expect(JSON.stringify(findings).length).toBeLessThan(4000);
  });

  test('of 64 KB of addresses give few and short findings', () => {
    const { findings } = read(`v=DMARC1;p=none;rua=${'x,'.repeat(32768)}${'mailto:!1,'.repeat(6000)}`);
    expect(JSON.stringify(findings).length).toBeLessThan(4000);
  });
});
