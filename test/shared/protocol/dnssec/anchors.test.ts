import { describe, expect, test } from '@jest/globals';
import {
  nearestAnchors,
  parseTrustAnchors,
  printTrustAnchors,
  rootAnchors,
} from '../../../../shared/protocol/dnssec/anchors.ts';
import { asWritten, byAnswer, listed, printed } from '../../../kit/answers.ts';

const digest = 'ab'.repeat(32);

describe('trust anchors in text form', () => {
  test('are read as recorded', () => {
    const hex = digest.toUpperCase();
    const texts = [
      ...listed(`. IN DS 20326 8 2 D | test. DS 4711 13 2 D | Good.TEST 3600 IN DS 1 13 2 D | test. in ds 1 13 2 D | . 1234567890 DS 1 8 2 D | . 12345678901 DS 1 8 2 D
        . IN DNSKEY 257 3 8 AwEAAQ== | DS 1 8 2 D | . CH DS 1 8 2 D | . IN 60 DS 1 8 2 D | . x IN DS 1 8 2 D | a..b IN DS 1 8 2 D | . IN DS 65535 255 2 D
        . IN DS 65536 8 2 D | . IN DS 1 256 2 D | . IN DS 1 8 256 D | . IN DS 1 8 2 Dab | . IN DS 1 8 2 D ab | . IN DS 1 8 2 | . IN DS 1 8 | . IN DS x 8 2 D | . IN DS -1 8 2 D
        . IN DS 1 8 1 D | . IN DS 1 8 3 D | . IN DS 1 8 9 D | . IN DS 000001 8 2 D | . IN DS 00001 8 2 D | ;; . IN DS 1 8 2 D ; | . IN DS 1 8 2 D;x | test IN DS 1 8 2 D; . IN DS 2 8 2 D`),
      ...['', ' ', ';', '. IN DS 1 8 1 E', '. IN DS 1 8 4 F', '. IN DS 1 8 2 G'],
    ];
    const whole = (text: string) =>
      text
        .replaceAll('D;', `${hex};`)
        .replaceAll(/\bD\b/g, hex)
        .replaceAll('Dab', `${hex}ab`)
        .replace(/E$/, 'ab'.repeat(20))
        .replace(/F$/, 'ab'.repeat(48))
        .replace(/G$/, 'xy'.repeat(32));
    const answer = (text: string) => {
      const parsed = parseTrustAnchors(whole(text));
      if (!parsed.ok) return `not ${printed(parsed.entry.slice(0, 12))}`;
      return parsed.anchors
        .map(
          ({ zone, ds }) =>
            `${zone || 'root'} ${ds.keyTag} ${ds.algorithm} ${ds.digestType} ${ds.digest.length}`,
        )
        .join(' | ');
    };
    expect(byAnswer(asWritten(texts), answer)).toMatchSnapshot();
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
