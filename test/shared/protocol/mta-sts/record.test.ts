import { describe, expect, test } from '@jest/globals';
import { parseMtaStsRecord, readMtaStsRecords } from '../../../../shared/protocol/mta-sts/record.ts';
import { corpusJson, corpusSuite, scoredVectors } from '../../../kit/corpus.ts';
import { mutations } from '../mutations.ts';

const ids = (text: string) => parseMtaStsRecord(text).findings.map(({ id }) => id);

describe('a record by the ABNF of RFC 8461 section 3.1', () => {
  test.each([
    ['has a version and an id', 'v=STSv1; id=20160831085700Z;', '20160831085700Z'],
    ['may lack the last semicolon', 'v=STSv1;id=a', 'a'],
    ['may have white space around semicolons', 'v=STSv1 \t; \t id=a ;', 'a'],
    ['may have white space at the end', 'v=STSv1; id=a  ', 'a'],
    ['may have an id of 32 characters', `v=STSv1; id=${'a'.repeat(32)}`, 'a'.repeat(32)],
    ['may have its fields in any order', 'v=STSv1; ext=1; id=a', 'a'],
    ['may have unknown fields', 'v=STSv1; id=a; x_y-z.1=%:!~; 9=q', 'a'],
  ])('%s', (_, text, id) => {
    const { record, findings } = parseMtaStsRecord(text);
    expect(record).toMatchObject({ version: 'STSv1', id });
    expect(findings).toEqual([]);
  });

  test('uses the first of a repeated field (section 3.2)', () => {
    const { record, findings } = parseMtaStsRecord('v=STSv1; id=a; id=b; x=1; x=2');
    expect(record).toMatchObject({ id: 'a' });
    expect(findings).toMatchObject([{ id: 'mta-sts-fields-repeated', arguments: { names: ['id', 'x'] } }]);
  });

  test.each(['v=STSv1', 'v=STSv2'])('uses the version at the start, not a second one: %s', (version) => {
    const { record, valid, findings } = parseMtaStsRecord(`v=STSv1; id=a; ${version}`);
    expect(record).toEqual({ version: 'STSv1', id: 'a' });
    expect(valid).toBe(true);
    expect(findings).toMatchObject([{ id: 'mta-sts-fields-repeated', arguments: { names: ['v'] } }]);
  });
});

describe('a record that senders ignore', () => {
  test.each([
    ['another version', 'v=STSv2; id=a', 'mta-sts-record-ignored'],
    ['a longer version', 'v=STSv10; id=a', 'mta-sts-record-ignored'],
    ['the version in another case', 'v=stsv1; id=a', 'mta-sts-record-ignored'],
    ['a leading space', ' v=STSv1; id=a', 'mta-sts-record-ignored'],
    ['a leading quote', '"v=STSv1; id=a"', 'mta-sts-record-ignored'],
    ['nothing after the version', 'v=STSv1', 'mta-sts-record-ignored'],
    ['no semicolon after the version', 'v=STSv1 id=a', 'mta-sts-record-ignored'],
    ['no field', 'v=STSv1;', 'mta-sts-id-missing'],
    ['no id', 'v=STSv1; ext=1', 'mta-sts-id-missing'],
    ['an id in upper case', 'v=STSv1; ID=1', 'mta-sts-id-missing'],
    ['an empty id', 'v=STSv1; id=', 'mta-sts-id-invalid'],
    ['an id of 33 characters', `v=STSv1; id=${'a'.repeat(33)}`, 'mta-sts-id-invalid'],
    ['a hyphen in the id', 'v=STSv1; id=2020-01-01', 'mta-sts-id-invalid'],
    ['a space after the equals sign', 'v=STSv1; id= a', 'mta-sts-id-invalid'],
    ['a space before the equals sign', 'v=STSv1; id =a', 'mta-sts-record-malformed'],
    ['a field without an equals sign', 'v=STSv1; id=a; more', 'mta-sts-record-malformed'],
    ['an empty field', 'v=STSv1; ; id=a', 'mta-sts-record-malformed'],
    ['two final semicolons', 'v=STSv1; id=a;;', 'mta-sts-record-malformed'],
    ['a name of 33 characters', `v=STSv1; id=a; ${'n'.repeat(33)}=1`, 'mta-sts-record-malformed'],
    ['a name with a percent sign', 'v=STSv1; id=a; 1%=a', 'mta-sts-record-malformed'],
    ['an empty extension', 'v=STSv1; id=a; x=', 'mta-sts-record-malformed'],
    ['an equals sign in an extension', 'v=STSv1; id=a; x=a=b', 'mta-sts-record-malformed'],
    ['a space in an extension', 'v=STSv1; id=a; x=a b', 'mta-sts-record-malformed'],
    ['an umlaut in an extension', 'v=STSv1; id=a; x=ä', 'mta-sts-record-malformed'],
  ])('has %s', (_, text, id) => {
    expect(parseMtaStsRecord(text).valid).toBe(false);
    expect(ids(text)).toEqual([id]);
  });

  test.each<[string, string, string | null]>([
    ['an invalid id', 'v=STSv1; id=2020-01-01', '2020-01-01'],
    ['an empty id', 'v=STSv1; id=', null],
    ['no id', 'v=STSv1; ext=1', null],
    ['an invalid field before the id', 'v=STSv1; more; id=a', 'a'],
    ['an invalid field after the id', 'v=STSv1; id=a; x=', 'a'],
  ])('is still parsed, with %s', (_, text, id) => {
    expect(parseMtaStsRecord(text)).toMatchObject({ valid: false, record: { version: 'STSv1', id } });
  });

  test('is not parsed without the version at the start', () => {
    expect(parseMtaStsRecord('v=STSv1 id=a').record).toBeNull();
  });
});

describe('the records of a name', () => {
  test.each<[string, readonly string[], string | null, readonly string[]]>([
    ['are none if no TXT record is one', ['v=spf1 include:sts.example.org -all', 'STS'], null, []],
    ['are found among others', ['v=spf1 -all', 'v=STSv1; id=a', 'v=STSv2; id=b'], 'v=STSv1; id=a', []],
    [
      'are invalid if there are several',
      ['v=STSv1; id=a', 'v=STSv1; id=b'],
      'v=STSv1; id=a',
      ['mta-sts-multiple-records'],
    ],
    [
      'are reported if the only one is ignored',
      ['v=spf1 -all', 'V=STSv1; id=a'],
      'V=STSv1; id=a',
      ['mta-sts-record-ignored'],
    ],
    [
      'are reported if the version is not first',
      ['id=a; v=STSv1;'],
      'id=a; v=STSv1;',
      ['mta-sts-record-ignored'],
    ],
  ])('%s', (_, texts, text, findings) => {
    const read = readMtaStsRecords(texts);
    expect(read.text).toBe(text);
    expect(read.findings.map(({ id }) => id)).toEqual(findings);
  });
});

test('the parser always ends, and accepts no record without an id', () => {
  const seeds = ['v=STSv1; id=20160831085700Z;', 'v=STSv1;id=a; x-y.z=a:b; id=c', 'v=STSv1'];
  for (const text of mutations(seeds, 5_000)) {
    const { record, valid } = parseMtaStsRecord(text);
    if (valid) expect(record?.id).toMatch(/^[A-Za-z0-9]{1,32}$/);
  }
});

test('parses a record of 64 kB in linear time', () => {
  const started = performance.now();
  for (const filler of ['; ', ' ', 'a=b;', '=', '\t;']) {
    parseMtaStsRecord(`v=STSv1;${filler.repeat(Math.floor(65_535 / filler.length))}`);
    readMtaStsRecords([filler.repeat(30_000)]);
  }
  expect(performance.now() - started).toBeLessThan(10_000);
});

corpusSuite('the public vectors of MTA-STS records', () => {
  for (const { id, input, origin_verdict } of scoredVectors('records/006-mta-sts-record.json')) {
    test(`${id}: ${JSON.stringify(input)} is ${origin_verdict}`, () => {
      expect(parseMtaStsRecord(input).valid).toBe(origin_verdict === 'valid');
    });
  }

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
