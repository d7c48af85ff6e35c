import { describe, expect, test } from '@jest/globals';
import { parseDmarcRecord } from '../../../../shared/protocol/dmarc/record.ts';
import { messageOf } from '../../../kit/findings.ts';
import { mutations } from '../mutations.ts';

function read(text: string) {
  const parsed = parseDmarcRecord(text);
  if (!parsed.ok) throw new Error(`not a record: ${text}`);
  return parsed;
}

/** The findings as `id` or `id subject`. */
function findingsOf(text: string): string[] {
  return read(text).findings.map(({ id, subject }) => (subject === undefined ? id : `${id} ${subject}`));
}

const RUA = 'rua=mailto:a@example.org';

describe('the version decides whether a text is a DMARC record (RFC 9989 section 4.7)', () => {
  test.each([
    ['alone', 'v=DMARC1', true, undefined],
    ['with white space around it', 'v \t= DMARC1 ;p=none', true, undefined],
    ['with its name in upper case', 'V=DMARC1;p=none', true, undefined],
    ['in lower case', 'v=dmarc1; p=none', false, true],
    ['with characters appended', 'v=DMARC12; p=none', false, true],
    ['without a semicolon after it', 'v=DMARC1 p=none', false, true],
    ['in quotes', '"v=DMARC1; p=none"', false, true],
    ['after another tag', 'p=none; v=DMARC1', false, true],
    ['after a malformed tag', 'x; v=DMARC1', false, true],
    ['after an extra letter', 'nv=DMARC1; p=none', false, true],
    ['after a typographic quote', '\u201cv=DMARC1; p=none\u201d', false, true],
    ['after the name of the record', '_dmarc.example.org. TXT "v=DMARC1; p=none"', false, true],
    ['without its tag name', 'DMARC1; p=none', false, true],
    ['of another protocol', 'v=spf1 -all', false, false],
    ['of another protocol that names DMARC', 'v=spf1 include:dmarc.example.org -all', false, false],
    ['absent', 'p=none', false, false],
    ['absent in an empty record', '', false, false],
  ])('%s', (_, text, ok, resembles) => {
    expect(parseDmarcRecord(text)).toMatchObject(ok ? { ok } : { ok, resembles });
  });
});

describe('a record', () => {
  test('is parsed tag by tag', () => {
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

  test('has defaults for missing tags', () => {
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

  test('without faults has no findings', () => {
    expect(
      findingsOf(
        `v=DMARC1; p=reject; sp=reject; np=reject; adkim=s; aspf=r; ${RUA}; fo=1:d:s; ruf=mailto:a@b.c`,
      ),
    ).toEqual([]);
  });

  test('may have its keywords in any case (RFC 5234 section 2.3)', () => {
    expect(findingsOf(`v=DMARC1;p=ReJect;sp=REJECT;adkim=S;t=N;psd=U;${RUA}`)).toEqual([]);
  });
});

describe('the policy that applies (RFC 9989 section 4.10.1)', () => {
  test.each([
    ['is p for all if there are no other tags', 'p=reject', ['reject', 'reject', 'reject']],
    ['is sp for subdomains, existing or not', 'p=reject; sp=none', ['reject', 'none', 'none']],
    [
      'is np for non-existent subdomains',
      'p=none; sp=quarantine; np=reject',
      ['none', 'quarantine', 'reject'],
    ],
    ['is p for existing subdomains with np and without sp', 'p=none; np=reject', ['none', 'none', 'reject']],
    ['is none without p, with rua', RUA, ['none', 'none', 'none']],
    ['is none with invalid p, with rua', `p=bob; ${RUA}`, ['none', 'none', 'none']],
    ['is none throughout with invalid sp, with rua', `p=reject; sp=bob; ${RUA}`, ['none', 'none', 'none']],
    ['is none throughout with invalid np, with rua', `p=reject; np=bob; ${RUA}`, ['none', 'none', 'none']],
    ['does not exist without p and rua', 'sp=reject', undefined],
    ['does not exist without p, with rua that is not a URI', 'rua=a@example.org', undefined],
    ['does not exist with invalid sp, without rua', 'p=reject; sp=bob', undefined],
  ])('%s', (_, tags, expected) => {
    const { applied } = read(`v=DMARC1; ${tags}`).record;
    expect(applied === null ? undefined : [applied.p, applied.sp, applied.np]).toEqual(expected);
  });
});

describe('the findings of a record', () => {
  test.each([
    ['a tag without =', `p=none; bogus; ${RUA}`, ['dmarc-malformed-tags']],
    ['an invalid tag name', `p=none; 1future=x; ${RUA}`, ['dmarc-malformed-tags']],
    ['a surplus semicolon', `p=none;; ${RUA}`, ['dmarc-empty-tags']],
    ['a duplicate tag', `p=none; p=reject; ${RUA}`, ['dmarc-duplicate-tags']],
    ['a duplicate tag in another case', `p=none; P=reject; ${RUA}`, ['dmarc-duplicate-tags']],
    ['a tag name in upper case', `P=none; ${RUA}`, ['dmarc-tag-name-case']],
    ['an unknown tag', `p=none; ruo=x; ${RUA}`, ['dmarc-unknown-tags']],
    ['a tag named like a property of objects', `p=none; constructor=x; ${RUA}`, ['dmarc-unknown-tags']],
    ['an invalid value of p', `p=rej; ${RUA}`, ['dmarc-invalid-value p']],
    ['an invalid value of adkim', `p=none; adkim=x; ${RUA}`, ['dmarc-invalid-value adkim']],
    ['an invalid value of aspf', `p=none; aspf=; ${RUA}`, ['dmarc-invalid-value aspf']],
    ['an invalid value of t', `p=none; t=x; ${RUA}`, ['dmarc-invalid-value t']],
    ['an invalid value of psd', `p=none; psd=x; ${RUA}`, ['dmarc-invalid-value psd']],
    ['an invalid value of sp, with rua', `p=none; sp=x; ${RUA}`, ['dmarc-invalid-subdomain-policy sp']],
    ['an invalid value of np, with rua', `p=none; np=x; ${RUA}`, ['dmarc-invalid-subdomain-policy np']],
    ['an invalid value of sp, without rua', 'p=none; sp=x', ['dmarc-void-record sp', 'dmarc-missing-rua']],
    [
      'an invalid value of np, with rua that is not a URI',
      'p=none; np=x; rua=a@example.org',
      ['dmarc-malformed-uri rua', 'dmarc-void-record np'],
    ],
    ['no policy, with rua', RUA, ['dmarc-missing-policy']],
    ['neither policy nor rua', 'adkim=s', ['dmarc-not-applied', 'dmarc-missing-rua']],
    ['p that is not second', `${RUA}; p=none`, ['dmarc-policy-not-second']],
    ['no rua', 'p=none', ['dmarc-missing-rua']],
    ['sp weaker than p', `p=reject; sp=quarantine; ${RUA}`, ['dmarc-weaker-subdomain-policy sp']],
    ['np weaker than p', `p=quarantine; np=none; ${RUA}`, ['dmarc-weaker-subdomain-policy np']],
    ['test mode', `p=reject; t=y; ${RUA}`, ['dmarc-testing']],
    ['pct under 100', `p=reject; pct=99; ${RUA}`, ['dmarc-partial']],
    ['test mode for all receivers', `p=reject; t=y; pct=0; ${RUA}`, ['dmarc-testing']],
    ['pct of 100', `p=reject; pct=100; ${RUA}`, ['dmarc-removed-tag pct']],
    ['pct over 100', `p=reject; pct=101; ${RUA}`, ['dmarc-invalid-removed-tag pct']],
    ['pct that is not a number', `p=reject; pct=all; ${RUA}`, ['dmarc-invalid-removed-tag pct']],
    ['ri', `p=reject; ri=3600; ${RUA}`, ['dmarc-removed-tag ri']],
    ['ri beyond 32 bits', `p=reject; ri=4294967296; ${RUA}`, ['dmarc-invalid-removed-tag ri']],
    ['rf', `p=reject; rf=afrf; ${RUA}`, ['dmarc-removed-tag rf']],
    ['rf without a value', `p=reject; rf=; ${RUA}`, ['dmarc-invalid-removed-tag rf']],
    ['fo without ruf', `p=none; fo=1; ${RUA}`, ['dmarc-fo-without-ruf']],
    ['fo with 0 and 1', `p=none; fo=0:1; ruf=mailto:a@b.c; ${RUA}`, ['dmarc-fo-conflict']],
    ['fo with an unknown value', `p=none; fo=x; ruf=mailto:a@b.c; ${RUA}`, ['dmarc-invalid-value fo']],
    ['fo with a duplicate value', `p=none; fo=d:d; ruf=mailto:a@b.c; ${RUA}`, ['dmarc-invalid-value fo']],
    [
      'fo with values without a separator',
      `p=none; fo=01; ruf=mailto:a@b.c; ${RUA}`,
      ['dmarc-invalid-value fo'],
    ],
    ['an address that is not a URI', 'p=none; rua=a@example.org', ['dmarc-malformed-uri rua']],
    ['an empty rua', 'p=none; rua=', ['dmarc-malformed-uri rua']],
    ['a trailing comma', `p=none; ${RUA},`, ['dmarc-malformed-uri rua']],
    ['a space inside a URI', 'p=none; rua=mailto:a b@example.org', ['dmarc-malformed-uri rua']],
    ['an incomplete percent escape', 'p=none; rua=mailto:a%4@example.org', ['dmarc-malformed-uri rua']],
    ['an unsupported scheme', 'p=none; rua=https://example.org/', ['dmarc-unsupported-uri rua']],
    ['mailto without an address', 'p=none; rua=mailto:', ['dmarc-uri-without-address rua']],
    ['mailto with a path', 'p=none; rua=mailto://example.org', ['dmarc-uri-without-address rua']],
    ['mailto with slashes', 'p=none; rua=mailto://a@example.org', ['dmarc-uri-without-address rua']],
    ['a size limit', `p=none; ${RUA}!10m`, ['dmarc-uri-size rua']],
    ['a size limit with an unknown unit', `p=none; ${RUA}!10p`, ['dmarc-malformed-uri rua']],
    ['a size limit without a number', `p=none; ${RUA}!`, ['dmarc-malformed-uri rua']],
    [
      'a size limit beyond the largest number',
      `p=none; ${RUA}!${'9'.repeat(40)}`,
      ['dmarc-malformed-uri rua'],
    ],
  ])('report %s', (_, tags, expected) => {
    expect(findingsOf(`v=DMARC1; ${tags}`)).toEqual(expected);
  });

  test.each([
    ['an alignment mode', `p=reject; aspf=x; ${RUA}`, 'treat it as aspf=r'],
    ['failure options', `p=reject; fo=x; ruf=mailto:a@b.c; ${RUA}`, 'treat it as fo=0'],
    ['a test mode', `p=reject; t=x; ${RUA}`, 'treat it as t=n'],
    ['a policy with rua', `p=x; ${RUA}`, 'treat it as p=none'],
  ])('report an invalid %s with its effect', (_, tags, effect) => {
    const { record, findings } = read(`v=DMARC1; ${tags}`);
    expect(messageOf(findings.find(({ id }) => id === 'dmarc-invalid-value'))).toContain(effect);
    expect(record.applied).not.toBeNull();
  });

  test.each([
    ['p', 'p=bob'],
    ['sp', 'p=reject; sp=bob'],
    ['np', 'p=reject; np=bob; rua=a@example.org'],
  ])('name the tag whose invalid value voids the whole record: %s', (tag, tags) => {
    const { record, findings } = read(`v=DMARC1; ${tags}`);
    expect(messageOf(findings.find(({ id }) => id === 'dmarc-void-record'))).toContain(
      `The ${tag} tag makes the whole record void: "bob" is not a valid policy`,
    );
    expect(record.applied).toBeNull();
  });

  test('report white space before the version', () => {
    expect(findingsOf(` v=DMARC1; p=none; ${RUA}`)).toEqual(['dmarc-leading-white-space']);
  });

  test('omit test mode if there is no policy to test', () => {
    expect(findingsOf(`v=DMARC1; p=none; t=y; ${RUA}`)).toEqual([]);
  });
});

describe('hostile records', () => {
  const seeds = [
    `v=DMARC1; p=reject; sp=none; np=quarantine; adkim=s; aspf=r; fo=0:d; ${RUA}!10m,mailto:x@y.z; ruf=mailto:q@w.e`,
    'v=DMARC1;p=none;pct=5;ri=3600;rf=afrf;t=y;psd=y',
    'V = DMARC1 ; unknown = thing;;',
    'mailto:%41@b,https://x',
  ];

  test('never cause an exception, and have a known policy if they are read', () => {
    let records = 0;
    for (const text of mutations(seeds, 5000)) {
      const parsed = parseDmarcRecord(text);
      if (!parsed.ok) continue;
      records++;
      expect([null, 'none', 'quarantine', 'reject']).toContain(parsed.record.p);
    }
    expect(records).toBeGreaterThan(1000);
  });

  test.each([
    ['malformed tags', 'x;'],
    ['unknown tags', ''],
    ['duplicate tags', 'p=none;'],
  ])('with 64 KB of %s have few and short findings', (_, unit) => {
    const tags =
      unit === ''
        ? Array.from({ length: 8000 }, (__, n) => `t${n}=x;`).join('')
        : unit.repeat(65536 / unit.length);
    const { findings } = read(`v=DMARC1;p=none;${tags}`);
    expect(findings.length).toBeLessThan(5);
    expect(JSON.stringify(findings).length).toBeLessThan(4000);
  });

  test('with 64 KB of addresses have few and short findings', () => {
    const { findings } = read(`v=DMARC1;p=none;rua=${'x,'.repeat(32768)}${'mailto:!1,'.repeat(6000)}`);
    expect(JSON.stringify(findings).length).toBeLessThan(4000);
  });
});
