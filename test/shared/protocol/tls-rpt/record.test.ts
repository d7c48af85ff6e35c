import { describe, expect, test } from '@jest/globals';
import { parseTlsRptRecord, readTlsRptRecords } from '../../../../shared/protocol/tls-rpt/record.ts';
import {
  asLists,
  asWritten,
  byAnswer,
  fieldEdits,
  inShort,
  type Named,
  ofName,
  printed,
  unlike,
  words,
} from '../../../kit/answers.ts';
import { corpusJson, corpusSuite, testVectors } from '../../../kit/corpus.ts';
import { mutations } from '../mutations.ts';

function answer(text: string): string {
  const { record, valid, findings } = parseTlsRptRecord(text);
  const usual = { version: 'TLSRPTv1', rua: ['mailto:a@b.example'] };
  return `${valid ? '' : 'invalid | '}${inShort(record, findings, usual)}`;
}

describe('recorded answers', () => {
  test('to a record with each of its fields written otherwise', () => {
    const record = 'v=TLSRPTv1; rua=mailto:a@b.example; x_y-z.1=%:!~';
    const short = unlike(answer(record));
    expect(byAnswer(fieldEdits(record), (text) => short(answer(text)))).toMatchSnapshot();
  });

  test('to lists of addresses', () => {
    const uris =
      words(`mailto:a@b.example MailTo:a@b.example a@b.example mailto: mailto:@b.example mailto:a@ mailto://a@b.example
      mailto:a@b.example!10m mailto:a%2@b.example mailto:%ff@b.example mailto:a%0Ab@b.example mailto:a%20b@b.example
      mailto:ä@b.example mailto:a@b.example?subject=x mailto:a%2Cb%21c@b.example mailto:a@b..example mailto:a@b
      https://c.example/v1?a=b&c=d https:// https:c HTTPS://C/ http://c.example/ ftp:x x+y.z-1:a 1x:a :a , a,
      mailto:a@b.example, mailto:a@b.example,,mailto:c@b.example mailto:a@b.example,http://c.example/ http://c/,x:y x,http://c/`);
    uris.push('', 'mailto:a@b.example other', 'mailto:a@b.example , \t https://c.example/');
    const named = uris.map((uri): Named<string> => [printed(uri), `v=TLSRPTv1; rua=${uri}`]);
    expect(byAnswer(named, answer)).toMatchSnapshot();
  });

  test('to the records of a name, and to texts that are almost one', () => {
    const kind = ofName(readTlsRptRecords);
    const good = 'v=TLSRPTv1; rua=mailto:a@b.example';
    const texts = words(
      'v=TLSRPTv1 v=tlsrptv1; v=TLSRPT1;rua=x v=TLSRPTx; v=TLSRPTv2; rua=x;v=TLSRPTv1 v=spf1',
    );
    texts.push(` ${good}`, `x${good}`, 'v=TLSRPTv1 ;', 'v = TLSRPTv1;', '');
    expect(byAnswer(asWritten(texts), (text) => kind([text]))).toMatchSnapshot();
    const lists = [[], [good, good], ['x', 'v=tlsrptv1', good]];
    expect(byAnswer(asLists(lists), kind)).toMatchSnapshot('lists');
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

corpusSuite('the public vectors of TLS-RPT records', () => {
  testVectors('records/010-tlsrpt-record.json', (input) => parseTlsRptRecord(input).valid);

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
