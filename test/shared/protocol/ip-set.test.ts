import { describe, expect, test } from '@jest/globals';
import { formatPrefix, type IpPrefix, parsePrefix } from '../../../shared/protocol/ip.ts';
import { difference, EVERYTHING, ipSet, nested, prefixesOf, union } from '../../../shared/protocol/ip-set.ts';

const prefixes = (texts: readonly string[]) => texts.flatMap((text) => parsePrefix(text) ?? []);
const printed = (list: readonly IpPrefix[] | undefined) => list?.map(formatPrefix);

describe('merging prefixes yields the smallest set with the same addresses', () => {
  test.each([
    ['an empty set', [], []],
    ['a duplicate', ['192.0.2.1', '192.0.2.1'], ['192.0.2.1']],
    ['one within another', ['192.0.2.0/24', '192.0.2.64/26'], ['192.0.2.0/24']],
    ['two halves', ['192.0.2.128/25', '192.0.2.0/25'], ['192.0.2.0/24']],
    ['four quarters', ['10.0.0.0/10', '10.64.0.0/10', '10.128.0.0/9'], ['10.0.0.0/8']],
    ['neighbors that are not halves', ['192.0.2.128/25', '192.0.3.0/25'], ['192.0.2.128/25', '192.0.3.0/25']],
    [
      'neighbors of different size',
      ['192.0.2.0/25', '192.0.2.128', '192.0.2.129'],
      ['192.0.2.0/25', '192.0.2.128/31'],
    ],
    ['both families', ['::1', '192.0.2.1', '::0'], ['192.0.2.1', '::/127']],
    ['all addresses', ['0.0.0.0/1', '128.0.0.0/1', '::/0'], ['0.0.0.0/0', '::/0']],
    [
      'both ends of the address range',
      ['255.255.255.255', '0.0.0.0', 'ffff::/16'],
      ['0.0.0.0', '255.255.255.255', 'ffff::/16'],
    ],
  ])('%s', (_, given, expected) => {
    expect(printed(prefixesOf(ipSet(prefixes(given))) ?? [])).toEqual(expected);
  });
});

describe('the difference of two sets', () => {
  test.each([
    ['keeps untouched prefixes', ['192.0.2.0/24'], ['198.51.100.0/24'], ['192.0.2.0/24']],
    ['is empty if everything is removed', ['192.0.2.0/24'], ['192.0.0.0/16'], []],
    ['cuts the start', ['192.0.2.0/24'], ['192.0.2.0/25'], ['192.0.2.128/25']],
    [
      'cuts the end',
      ['192.0.2.0/24'],
      ['192.0.2.255'],
      [
        '192.0.2.0/25',
        '192.0.2.128/26',
        '192.0.2.192/27',
        '192.0.2.224/28',
        '192.0.2.240/29',
        '192.0.2.248/30',
        '192.0.2.252/31',
        '192.0.2.254',
      ],
    ],
    [
      'cuts holes',
      ['192.0.2.0/29'],
      ['192.0.2.1', '192.0.2.4'],
      ['192.0.2.0', '192.0.2.2/31', '192.0.2.5', '192.0.2.6/31'],
    ],
    [
      'cuts one hole out of several prefixes',
      ['192.0.2.0/31', '192.0.2.4/31'],
      ['192.0.2.1', '192.0.2.4'],
      ['192.0.2.0', '192.0.2.5'],
    ],
    ['keeps address families apart', ['0.0.0.0/0', '::/0'], ['::/1'], ['0.0.0.0/0', '8000::/1']],
  ])('%s', (_, from, removed, expected) => {
    expect(printed(prefixesOf(difference(ipSet(prefixes(from)), ipSet(prefixes(removed)))))).toEqual(
      expected,
    );
  });

  test('and the removed prefixes add up to the original set, for many random sets', () => {
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 300; round += 1) {
      const some = () =>
        ipSet(prefixes(Array.from({ length: random(8) }, () => `10.0.0.${random(256)}/${24 + random(9)}`)));
      const [a, b] = [some(), some()];
      expect(union(difference(a, b), difference(a, difference(a, b)))).toEqual(a);
      expect(difference(difference(a, b), a)).toEqual(ipSet([]));
      expect(union(difference(EVERYTHING, a), a)).toEqual(EVERYTHING);
    }
  });
});

test('prefixes beyond a limit are not enumerated', () => {
  const holes = difference(EVERYTHING, ipSet(prefixes(['2001:db8::1'])));
  expect(prefixesOf(holes, 128)).toBeUndefined();
  expect(prefixesOf(holes, 129)).toHaveLength(129);
});

test('a contained prefix is listed with the widest prefix around it', () => {
  const pairs = nested(
    prefixes(['192.0.2.1', '192.0.2.0/24', '192.0.0.0/16', '192.1.0.0/16', '::/0', '::1']),
  );
  expect(pairs.map(({ inner, outer }) => [formatPrefix(inner), formatPrefix(outer)])).toEqual([
    ['192.0.2.0/24', '192.0.0.0/16'],
    ['192.0.2.1', '192.0.0.0/16'],
    ['::1', '::/0'],
  ]);
});
