import { describe, expect, test } from '@jest/globals';
import { parseDmarcRecord } from '../../../../shared/protocol/dmarc/record.ts';
import type { ReportUri } from '../../../../shared/protocol/dmarc/report-uri.ts';
import {
  asWritten,
  byAnswer,
  byPlace,
  fieldEdits,
  inShort,
  listed,
  type Named,
  printed,
  unlike,
  words,
} from '../../../kit/answers.ts';
import { mutations } from '../mutations.ts';

function read(text: string) {
  const parsed = parseDmarcRecord(text);
  if (!parsed.ok) throw new Error(`not a record: ${text}`);
  return parsed;
}

const RUA = 'rua=mailto:a@example.org';

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
});

/** What most records say. */
const usual = {
  ...{ p: 'none', sp: null, np: null, adkim: 'r', aspf: 'r', fo: ['0'], t: 'n', psd: 'u', pct: 100 },
  ...{ rua: ['a@example.org'], ruf: [], applied: 'none,none,none' },
};

function answer(text: string): string {
  const parsed = parseDmarcRecord(text);
  if (!parsed.ok) return parsed.resembles ? 'resembles a record' : 'no record';
  const { tags: _, applied, rua, ruf, ...values } = parsed.record;
  const uris = { rua: rua.map(uriInShort), ruf: ruf.map(uriInShort) };
  const policies = applied === null ? 'nothing' : Object.values(applied).join();
  return inShort({ ...values, ...uris, applied: policies }, parsed.findings, usual);
}

function uriInShort({ uri, scheme, host, sized }: ReportUri): string {
  if (uri === `mailto:a@${host}` && !sized) return `a@${host}`;
  return `${uri} ${scheme} ${host}${sized ? ' sized' : ''}`;
}

/** Records that have these tags, and `end`. */
const named = (tags: readonly string[], end = RUA): readonly Named<string>[] =>
  tags.map((text) => [printed(text), `v=DMARC1; ${text}; ${end}`]);

describe('the recorded answer', () => {
  test('to a record with each of its tags written otherwise', () => {
    const record = `v=DMARC1; p=reject; sp=none; adkim=s; fo=1:d; t=y; psd=n; pct=25; ri=86400; ${RUA}; ruf=mailto:f@b.c`;
    const short = unlike(answer(record));
    expect(byAnswer(fieldEdits(record), (text) => short(answer(text)))).toMatchSnapshot();
  });

  test('to every combination of policies (RFC 9989 section 4.10.1)', () => {
    const values = ['', 'none', 'quarantine', 'reject', 'x'];
    const tagged = (p: string, sp: string, np: string) =>
      Object.entries({ p, sp, np }).flatMap(([tag, value]) => (value === '' ? [] : [`${tag}=${value}`]));
    const records = values.flatMap((one) =>
      values.flatMap((other) => [tagged(one, other, ''), tagged(one, '', other), tagged('none', one, other)]),
    );
    const texts = [...new Set(records.map((tags) => tags.join('; ')))].filter((text) => text !== '');
    const policiesAnd = (text: string) => {
      const { record, findings } = read(text);
      const applied = record.applied === null ? 'nothing' : Object.values(record.applied).join();
      return [applied, ...findings.map(({ id, subject = '' }) => `${id} ${subject}`.trim())].join(' | ');
    };
    expect(byAnswer(named(texts), policiesAnd)).toMatchSnapshot('with rua');
    expect(byAnswer(named(texts, 'rua=x'), policiesAnd)).toMatchSnapshot('without a valid rua');
  });

  test('to the values of each tag, and to almost such values', () => {
    const p = ['none', 'quarantine', 'reject'].map((policy) => `p=${policy}`);
    const options = '0 1 d s x 01 0:1 d:d D:S 1:d:s :0 0:1:d:s 0:1:d:s:0'.split(' ');
    const tags = [
      ...['', ...options, '0 : d', '0\t:\td', '0  :d'].flatMap((fo) => [
        `${p[0]}; fo=${fo}; ruf=mailto:a@b.c`,
        `${p[0]}; fo=${fo}`,
      ]),
      ...['', '0', '99', '100', '101', '050', '0100', '-1'].flatMap((pct) => [
        ...p.map((policy) => `${policy}; pct=${pct}`),
        `${p[0]}; sp=reject; pct=${pct}`,
        `${p[2]}; t=y; pct=${pct}`,
      ]),
      ...['', '0', '4294967295', '4294967296', '99999999999', '1h'].map((ri) => `${p[0]}; ri=${ri}`),
      ...['', 'afrf', 'AFRF', 'a-1:b', 'a : b', 'afrf:', ':a', 'a_b'].map((rf) => `${p[0]}; rf=${rf}`),
      ...['adkim', 'aspf', 't', 'psd'].flatMap((tag) =>
        ['', 'r', 's', 'y', 'n', 'u', 'S', 'Y', 'x'].map((value) => `${p[0]}; ${tag}=${value}`),
      ),
      ...p.map((policy) => `${policy}; t=y`),
      `${p[0]}; np=reject; t=y`,
    ];
    expect(byAnswer(named(tags), answer)).toMatchSnapshot();
  });

  test('to lists of report addresses', () => {
    const uris = [
      '',
      ',',
      RUA.slice(4),
      `${RUA.slice(4)},`,
      'mailto:a@b.c, mailto:a@d.e\t,mailto:a@b.c',
      'a@example.org',
      ...words(`mailto: mailto://a@b.c mailto://b.c mailto:a@ mailto:@b.c mailto:a@b MailTo:a@B.C`),
      ...listed(
        `mailto:a@b_c.d | mailto:a@b..c | mailto:a b@c.d | mailto:a%4@c.d | mailto:a%2Cb@c.d?subject=x`,
      ),
      ...[`mailto:a@${'b'.repeat(63)}.c`, `mailto:a@${'b'.repeat(64)}.c`, 'mailto:a@b.c.', 'mailto:%FF@b.c'],
      ...['https://b.c/', '1https:b', 'h+t.t-1:b', ':b', 'mailto:é@b.c'],
      ...['', '10', '10m', '10K', '1g', '1t', '10p', 'm', '1mm', '1!1', '9'.repeat(18), '9'.repeat(19)].map(
        (size) => `mailto:a@b.c!${size}`,
      ),
    ];
    expect(
      byAnswer(named(uris, ''), (text) => answer(text.replace('; ', '; p=none; rua='))),
    ).toMatchSnapshot();
    const ruf = ['a@example.org', 'mailto:a@b.c!1', 'https://b.c/', 'mailto:'].map(
      (uri) => `p=none; ruf=${uri}`,
    );
    expect(byAnswer(named(ruf), answer)).toMatchSnapshot('ruf');
  });

  test('to texts that almost begin like a record (RFC 9989 section 4.7)', () => {
    const kind = (text: string) => {
      const parsed = parseDmarcRecord(text);
      return parsed.ok ? 'a record' : parsed.resembles ? 'resembles a record' : 'no record';
    };
    const texts = listed(
      `v \t= DMARC1 ;p=none | p=none; v=DMARC1 | x; v=DMARC1 | \u201cv=DMARC1; p=none\u201d | DMARC1; p=none`,
    );
    const others = [
      '_dmarc.example.org. TXT "v=DMARC1"',
      'v=spf1 include:dmarc.example.org -all',
      'v=dmarc1',
      '',
    ];
    expect(
      byAnswer(
        asWritten([...texts, ...others, `${'a'.repeat(57)} DMARC1`, `${'a'.repeat(58)} DMARC1`]),
        kind,
      ),
    ).toMatchSnapshot('texts');
    expect(byPlace('v=DMARC1;', [' ', '\n', 'x', '"', ';', 'V'], kind)).toMatchSnapshot();
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
});
