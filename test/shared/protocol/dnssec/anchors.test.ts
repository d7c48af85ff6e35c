import { describe, expect, test } from '@jest/globals';
import {
  nearestAnchors,
  parseTrustAnchors,
  printTrustAnchors,
  rootAnchors,
} from '../../../../shared/protocol/dnssec/anchors.ts';

const digest = 'ab'.repeat(32);

describe('trust anchors in text form', () => {
  test.each([
    ['. IN DS 20326 8 2 ', '', 20326],
    ['test. DS 4711 13 2 ', 'test', 4711],
    ['Good.TEST 3600 IN DS 1 13 2 ', 'good.test', 1],
    ['test. in ds 1 13 2 ', 'test', 1],
  ])('accepts %s', (start, zone, keyTag) => {
    expect(parseTrustAnchors(start + digest)).toMatchObject({
      ok: true,
      anchors: [{ zone, ds: { keyTag } }],
    });
  });

  test('separates several by semicolons, and ignores blanks inside a digest', () => {
    const parsed = parseTrustAnchors(`. IN DS 1 8 2 ${digest};\n test. IN DS 2 13 1 ${'CD '.repeat(20)} ;`);
    expect(parsed).toMatchObject({
      ok: true,
      anchors: [{ zone: '' }, { zone: 'test', ds: { digestType: 1 } }],
    });
  });

  test.each([
    ['an empty text', ''],
    ['a DNSKEY', '. IN DNSKEY 257 3 8 AwEAAQ=='],
    ['no owner', `DS 1 8 2 ${digest}`],
    ['another class', `. CH DS 1 8 2 ${digest}`],
    ['a key tag above 16 bits', `. IN DS 65536 8 2 ${digest}`],
    ['a truncated digest', `. IN DS 1 8 2 ${digest.slice(2)}`],
    ['a digest that is not hexadecimal', `. IN DS 1 8 2 ${'xy'.repeat(32)}`],
    ['an unknown digest type', `. IN DS 1 8 9 ${digest}`],
    ['an empty label', `a..b IN DS 1 8 2 ${digest}`],
  ])('rejects %s', (_, text) => {
    expect(parseTrustAnchors(text).ok).toBe(false);
  });

  test('names the entry at fault', () => {
    expect(parseTrustAnchors(`. IN DS 1 8 2 ${digest}; test. IN DS x`)).toEqual({
      ok: false,
      entry: 'test. IN DS x',
    });
  });
});

test('the root has the anchors of KSK-2017 and KSK-2024', () => {
  expect(
    rootAnchors.map(({ zone, ds }) => [zone, ds.keyTag, ds.algorithm, ds.digestType, ds.digest.length]),
  ).toEqual([
    ['', 20326, 8, 2, 32],
    ['', 38696, 8, 2, 32],
  ]);
});

test('anchors print and parse the same', () => {
  expect(parseTrustAnchors(printTrustAnchors(rootAnchors))).toEqual({ ok: true, anchors: rootAnchors });
});

describe('the anchors of the nearest zone', () => {
  const anchor = (zone: string) => ({
    zone,
    ds: { keyTag: 1, algorithm: 8, digestType: 2, digest: new Uint8Array() },
  });
  const all = [anchor(''), anchor('test'), anchor('lab.test'), anchor('test')];
  test.each([
    ['example.org', ['']],
    ['contest', ['']],
    ['test', ['test', 'test']],
    ['good.test', ['test', 'test']],
    ['a.lab.test', ['lab.test']],
  ])('are found for %s', (name, zones) => {
    expect(nearestAnchors(all, name).map(({ zone }) => zone)).toEqual(zones);
  });

  test('are none if no zone above has one', () => {
    expect(nearestAnchors([anchor('test')], 'example.org')).toEqual([]);
  });
});
