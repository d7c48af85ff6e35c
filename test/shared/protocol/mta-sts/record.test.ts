import { describe, expect, test } from '@jest/globals';
import { parseMtaStsRecord, readMtaStsRecords } from '../../../../shared/protocol/mta-sts/record.ts';
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

describe('recorded answers (RFC 8461 section 3.1)', () => {
  const answer = (text: string) => {
    const { record, valid, findings } = parseMtaStsRecord(text);
    return `${valid ? '' : 'invalid | '}${inShort(record, findings, { version: 'STSv1', id: 'a1' })}`;
  };

  test('to a record with each of its fields written otherwise', () => {
    const record = 'v=STSv1; id=a1; x_y-z.1=%:!~';
    const short = unlike(answer(record));
    expect(byAnswer(fieldEdits(record), (text) => short(answer(text)))).toMatchSnapshot();
  });

  test('to fields at their limits', () => {
    const fields = [
      ...[31, 32, 33].flatMap((length) => [`id=${'a'.repeat(length)}`, `id=a1; ${'n'.repeat(length)}=1`]),
      ...words(
        'id= id=2020-01-01 ID=a1 id=a1;; ;id=a1 id=a1;x=a=b id=a1;1%=a id=a1;x= id=a1;-x=1 id=a1;x=ä id=a1;=x',
      ),
      ...words(
        'id=a1;id=b;x=1;x=2 id=a1;v=STSv1 id=a1;v=STSv2 more;id=a1 ext=1 id=a1;x=!~ id=a1;x=\u007f id=é',
      ),
      ...['', 'id=a1; x=a b', 'id= a1', 'id =a1', 'id=a 1', 'id=a1;  ', 'id=a1; ;'],
    ];
    const named = fields.map((field): Named<string> => [printed(field), `v=STSv1; ${field}`]);
    expect(byAnswer(named, answer)).toMatchSnapshot();
  });

  test('to the records of a name, and to texts that are almost one', () => {
    const kind = ofName(readMtaStsRecords);
    const texts = words(
      'v=STSv1 v=STSv1; V=STSv1;id=a v=STSv2;id=a v=STSv10; STS STS1 xSTSv id=a;v=STSv1;',
    ).concat(
      ['v=STSv1 \t;', ' v=STSv1;', '"v = STSv1', 'v=spf1 include:sts.example.org', ''],
      [58, 59, 60, 61].map((length) => `${'-'.repeat(length)}STSv`),
    );
    expect(byAnswer(asWritten(texts), (text) => kind([text]))).toMatchSnapshot();
    const lists = [
      [],
      ['v=STSv1; id=a', 'v=STSv1; id=b'],
      ['x', 'v=stsv1', 'v=STSv1; id=a'],
      ['v=stsv1', 'V=STSv1'],
    ];
    expect(byAnswer(asLists(lists), kind)).toMatchSnapshot('lists');
  });
});

test('the parser always ends, and accepts no record without an id', () => {
  const seeds = ['v=STSv1; id=20160831085700Z;', 'v=STSv1;id=a; x-y.z=a:b; id=c', 'v=STSv1'];
  for (const text of mutations(seeds, 5_000)) {
    const { record, valid } = parseMtaStsRecord(text);
    if (valid) expect(record?.id).toMatch(/^[A-Za-z0-9]{1,32}$/);
  }
});

corpusSuite('the public vectors of MTA-STS records', () => {
  testVectors('records/006-mta-sts-record.json', (input) => parseMtaStsRecord(input).valid);

  test('parses records quoted in public field by field', () => {
    const { cases } = corpusJson('records/013-real-sts.json');
    expect(cases.length).toBeGreaterThan(10);
    for (const { record: text, tags } of cases) {
      const { record, valid } = parseMtaStsRecord(text);
      if (valid) expect(record?.id).toBe(tags.id);
      else expect(/^[A-Za-z0-9]{1,32}$/.test(tags.id ?? '') && tags.v === 'STSv1').toBe(false);
    }
  });
});
