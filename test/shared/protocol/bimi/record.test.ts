import { describe, expect, test } from '@jest/globals';
import { parseBimiRecord, readBimiRecords } from '../../../../shared/protocol/bimi/record.ts';
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

const LOGO = 'https://example.org/logo.svg';

function answer(text: string): string {
  const { record, valid, findings } = parseBimiRecord(text);
  const usual = {
    version: 'BIMI1',
    location: LOGO,
    authority: null,
    avatarPreference: 'brand',
    localPartSelector: false,
    declined: false,
  };
  return `${valid ? '' : 'invalid | '}${inShort(record, findings, usual)}`;
}

describe('recorded answers', () => {
  test('to a record with each of its tags written otherwise', () => {
    const record = `v=BIMI1; l=${LOGO}; a=https://example.org/m.pem; avp=personal; lps=true`;
    const short = unlike(answer(record));
    expect(byAnswer(fieldEdits(record), (text) => short(answer(text)))).toMatchSnapshot();
  });

  test('to URIs', () => {
    const uris =
      words(`/logo.svg http://b.org/l.svg https://192.0.2.1/l.svg https://0x7f.1/l.svg https://[2001:db8::1]/l.svg
      https://localhost/l.svg https://a:b@c.org/l.svg https://a@c.org/l.svg https://:b@c.org/l.svg HTTPS://B.ORG/l.SVG
      https://b.org/l.svg,https://b.org/l.svg https://b.org./l.svg https://b.org../l.svg https:///l.svg https://b..c/l.svg
      https://b.org/l.PNG https://b.org/l.png/x https://b.org/l.png?x https://b.org/l.svg?x.png https://b.org/l.jpg
      https://b.org/l.jpeg https://b.org/png https://b.org:99999/ https://b.org/%2c https://b.org/é https://`);
    uris.push('https://b.org/my logo.svg', '');
    const evidence = words(
      'https://b.org/m.pem http://b.org/m.pem https://b.org/l.png /m.pem https:///m.pem',
    );
    const tags = [...uris.map((uri) => `l=${uri}`), ...evidence.map((uri) => `l=${LOGO}; a=${uri}`)];
    const named = tags.map(
      (tag): Named<string> => [printed(tag.replace(`l=${LOGO}; `, '')), `v=BIMI1; ${tag}`],
    );
    expect(byAnswer(named, answer)).toMatchSnapshot();
  });

  test('to values, and to locations with evidence', () => {
    const tags =
      words(`avp=brand avp=personal avp=Brand avp=logo avp= lps=true lps=false lps=yes lps= l=;a= a= a=https://b.org/m
      l=;a=https://b.org/m l= z=1;l= z;l= v=BIMI2;l= l=;l=`);
    const named = tags.map(
      (tag): Named<string> => [tag, `v=BIMI1; ${/\b[la]=/.test(tag) ? tag : `l=${LOGO}; ${tag}`}`],
    );
    expect(byAnswer(named, answer)).toMatchSnapshot();
  });

  test('to the records of a name, and to texts that are almost one', () => {
    const kind = ofName(readBimiRecords);
    const texts = words('v=bimi1 v=BIMI2; l=x a=x;l=y v="bimi x;v=BIMI1 v=spf1').concat(
      ' v = BIMI1; l=',
      ' L =x',
      'xbimi 1',
      '"v=BIMI1; l="',
      '',
    );
    const long = [57, 58, 59].map((length) => `${'x'.repeat(length)}v=bimi`);
    expect(byAnswer(asWritten([...texts, ...long]), (text) => kind([text]))).toMatchSnapshot();
    const lists = [[], ['v=BIMI1; l=', 'v=BIMI1; l='], ['x', 'v=bimi1', 'v=BIMI1; l='], ['v=bimi1', 'l=x']];
    expect(byAnswer(asLists(lists), kind)).toMatchSnapshot('lists');
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
  testVectors('records/008-bimi-record.json', (input) => parseBimiRecord(input).valid);

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
