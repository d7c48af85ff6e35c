import { describe, expect, test } from '@jest/globals';
import { parseTlsRptRecord, readTlsRptRecords } from '../../../../shared/protocol/tls-rpt/record.ts';
import { corpusJson, corpusSuite, scoredVectors } from '../../../kit/corpus.ts';
import { mutations } from '../mutations.ts';

describe('a record by the ABNF of RFC 8460 section 3', () => {
  test.each<[string, string, readonly string[]]>([
    ['may request mail', 'v=TLSRPTv1;rua=mailto:reports@example.com', ['mailto:reports@example.com']],
    [
      'may request HTTPS POST',
      'v=TLSRPTv1; rua=https://r.example.com/v1/tlsrpt',
      ['https://r.example.com/v1/tlsrpt'],
    ],
    [
      'may list several addresses',
      'v=TLSRPTv1; rua=mailto:a@b.example , \t https://c.example/',
      ['mailto:a@b.example', 'https://c.example/'],
    ],
    [
      'may have a query in an address',
      'v=TLSRPTv1; rua=https://c.example/?a=b&c=d;',
      ['https://c.example/?a=b&c=d'],
    ],
    [
      'may have header fields in a mail address',
      'v=TLSRPTv1; rua=mailto:a@b.example?subject=x',
      ['mailto:a@b.example?subject=x'],
    ],
    [
      'may have encoded characters in an address',
      'v=TLSRPTv1; rua=mailto:a%2Cb%21c@b.example',
      ['mailto:a%2Cb%21c@b.example'],
    ],
    ['may have the scheme in any case', 'v=TLSRPTv1; rua=MailTo:a@b.example', ['MailTo:a@b.example']],
    ['may have other fields', 'v=TLSRPTv1; x=1; rua=mailto:a@b.example; y=2', ['mailto:a@b.example']],
  ])('%s', (_, text, rua) => {
    const { record, findings } = parseTlsRptRecord(text);
    expect(record).toMatchObject({ version: 'TLSRPTv1', rua });
    expect(findings).toEqual([]);
  });

  test('uses the first of a repeated field, and reports it', () => {
    const { record, findings } = parseTlsRptRecord(
      'v=TLSRPTv1; rua=mailto:a@b.example; rua=mailto:c@d.example',
    );
    expect(record?.rua).toEqual(['mailto:a@b.example']);
    expect(findings).toMatchObject([{ id: 'tls-rpt-fields-repeated', severity: 'warning' }]);
  });

  test('reports a second version', () => {
    const { valid, findings } = parseTlsRptRecord('v=TLSRPTv1; rua=mailto:a@b.example; v=TLSRPTv1');
    expect(valid).toBe(true);
    expect(findings).toMatchObject([{ id: 'tls-rpt-fields-repeated', arguments: { names: ['v'] } }]);
  });

  test('reports an address with another scheme and uses the others', () => {
    const { valid, findings } = parseTlsRptRecord('v=TLSRPTv1; rua=http://a.example/,mailto:a@b.example');
    expect(valid).toBe(true);
    expect(findings).toMatchObject([
      { id: 'tls-rpt-uris-unsupported', severity: 'warning', arguments: { uris: ['http://a.example/'] } },
    ]);
  });
});

describe('a record that senders ignore', () => {
  test.each([
    ['another version', 'v=TLSRPTv2; rua=mailto:a@b.example', 'tls-rpt-record-ignored'],
    ['the version in another case', 'v=tlsrptv1; rua=mailto:a@b.example', 'tls-rpt-record-ignored'],
    ['no semicolon', 'v=TLSRPTv1 rua=mailto:a@b.example', 'tls-rpt-record-ignored'],
    ['no rua', 'v=TLSRPTv1; ext=1', 'tls-rpt-rua-missing'],
    ['an empty rua', 'v=TLSRPTv1; rua=', 'tls-rpt-rua-missing'],
    ['an address without a scheme', 'v=TLSRPTv1; rua=a@b.example', 'tls-rpt-uris-malformed'],
    ['a mailto without an address', 'v=TLSRPTv1; rua=mailto:', 'tls-rpt-uris-malformed'],
    ['a mailto without a local part', 'v=TLSRPTv1; rua=mailto:@b.example', 'tls-rpt-uris-malformed'],
    ['a mailto without a domain', 'v=TLSRPTv1; rua=mailto:a@', 'tls-rpt-uris-malformed'],
    ['a space in an address', 'v=TLSRPTv1; rua=mailto:a@b.example other', 'tls-rpt-uris-malformed'],
    ['an unencoded exclamation mark', 'v=TLSRPTv1; rua=mailto:a@b.example!10m', 'tls-rpt-uris-malformed'],
    ['a broken percent encoding', 'v=TLSRPTv1; rua=mailto:a%2@b.example', 'tls-rpt-uris-malformed'],
    [
      'percent-encoded octets that are not UTF-8',
      'v=TLSRPTv1; rua=mailto:%ff@b.example',
      'tls-rpt-uris-malformed',
    ],
    ['an encoded line break', 'v=TLSRPTv1; rua=mailto:a%0Ab@b.example', 'tls-rpt-uris-malformed'],
    ['an umlaut', 'v=TLSRPTv1; rua=mailto:ä@b.example', 'tls-rpt-uris-malformed'],
    [
      'nothing between two commas',
      'v=TLSRPTv1; rua=mailto:a@b.example,,mailto:c@b.example',
      'tls-rpt-uris-malformed',
    ],
    ['a mailto with slashes', 'v=TLSRPTv1; rua=mailto://a@b.example', 'tls-rpt-uris-malformed'],
    ['an https address without a host', 'v=TLSRPTv1; rua=https://', 'tls-rpt-uris-malformed'],
    ['only other schemes', 'v=TLSRPTv1; rua=http://a.example/', 'tls-rpt-no-usable-uri'],
    ['an invalid field', 'v=TLSRPTv1; rua=mailto:a@b.example; more', 'tls-rpt-record-malformed'],
    ['an empty extension', 'v=TLSRPTv1; rua=mailto:a@b.example; more=', 'tls-rpt-record-malformed'],
  ])('has %s', (_, text, id) => {
    const { valid, findings } = parseTlsRptRecord(text);
    expect(valid).toBe(false);
    expect(findings.map((finding) => finding.id)).toContain(id);
  });

  test.each<[string, string, readonly string[]]>([
    [
      'a text that is not a URI',
      'v=TLSRPTv1; rua=a@b.example, mailto:c@d.example',
      ['a@b.example', 'mailto:c@d.example'],
    ],
    ['only other schemes', 'v=TLSRPTv1; rua=http://a.example/', ['http://a.example/']],
    ['an invalid field', 'v=TLSRPTv1; more; rua=mailto:a@b.example', ['mailto:a@b.example']],
    ['no address', 'v=TLSRPTv1; rua=', []],
  ])('is still parsed, with %s', (_, text, rua) => {
    expect(parseTlsRptRecord(text)).toMatchObject({ valid: false, record: { version: 'TLSRPTv1', rua } });
  });

  test('is not parsed without the version at the start', () => {
    expect(parseTlsRptRecord('v=TLSRPTv1 rua=mailto:a@b.example').record).toBeNull();
  });
});

describe('the records of a name', () => {
  const good = 'v=TLSRPTv1; rua=mailto:a@b.example';
  test.each<[string, readonly string[], string | null, readonly string[]]>([
    ['are none if no TXT record is one', ['v=spf1 -all', ''], null, []],
    ['are found among others', ['v=spf1 -all', good], good, []],
    ['are invalid if there are several', [good, good], good, ['tls-rpt-multiple-records']],
    ['are reported if the only one is ignored', [` ${good}`], ` ${good}`, ['tls-rpt-record-ignored']],
    [
      'are reported if the version lacks a letter',
      ['v=TLSRPT1; rua=mailto:a@b.example'],
      'v=TLSRPT1; rua=mailto:a@b.example',
      ['tls-rpt-record-ignored'],
    ],
    ['are reported if text precedes the version', [`x${good}`], `x${good}`, ['tls-rpt-record-ignored']],
  ])('%s', (_, texts, text, findings) => {
    const read = readTlsRptRecords(texts);
    expect(read.text).toBe(text);
    expect(read.findings.map(({ id }) => id)).toEqual(findings);
  });
});

test('the parser always ends, and accepts no record without an address', () => {
  const seeds = [
    'v=TLSRPTv1; rua=mailto:a@b.example,https://c.example/?x=y',
    'v=TLSRPTv1;x=1;rua=ftp://a;rua=b',
  ];
  for (const text of mutations(seeds, 5_000)) {
    const { record, valid } = parseTlsRptRecord(text);
    if (valid) expect(record?.rua.length).toBeGreaterThan(0);
  }
});

test('parses 64 kB of any text in linear time, with short findings', () => {
  const started = performance.now();
  for (const filler of [',', ' ', '%', 'a', 'mailto:', ';', ', ']) {
    const { findings } = parseTlsRptRecord(
      `v=TLSRPTv1;rua=${filler.repeat(Math.floor(65_000 / filler.length))}`,
    );
    expect(JSON.stringify(findings).length).toBeLessThan(5_000);
  }
  expect(performance.now() - started).toBeLessThan(10_000);
});

corpusSuite('the public vectors of TLS-RPT records', () => {
  for (const { id, input, origin_verdict } of scoredVectors('records/010-tlsrpt-record.json')) {
    test(`${id}: ${JSON.stringify(input)} is ${origin_verdict}`, () => {
      expect(parseTlsRptRecord(input).valid).toBe(origin_verdict === 'valid');
    });
  }

  test('parses records quoted in public field by field', () => {
    const { cases } = corpusJson('records/005-real-tlsrpt.json');
    expect(cases.length).toBeGreaterThan(10);
    for (const { record: text, tags, tag_problems } of cases) {
      // For duplicate fields the corpus expects the last one, and we use the first.
      if (tag_problems.length > 0) continue;
      const { record, valid, findings } = parseTlsRptRecord(text);
      if (valid) expect(record?.rua.join(',')).toBe(tags.rua?.replaceAll(' ', ''));
      else expect(findings).not.toEqual([]);
    }
  });
});
