import { describe, expect, test } from '@jest/globals';
import { formatPrefix, type IpPrefix, parseIp, parsePrefix } from '../../../shared/protocol/ip.ts';
import {
  difference,
  EMPTY,
  EVERYTHING,
  includes,
  ipSet,
  nested,
  prefixesOf,
  union,
} from '../../../shared/protocol/ip-set.ts';
import { asWritten, byAnswer, listed, words } from '../../kit/answers.ts';
import { random } from '../../kit/random.ts';

const prefixes = (texts: readonly string[]) => texts.flatMap((text) => parsePrefix(text) ?? []);
const printed = (list: readonly IpPrefix[] | undefined) => list?.map(formatPrefix);

const setOf = (texts: string) => ipSet(prefixes(words(texts)));
const shown = (list: readonly IpPrefix[] | undefined) => printed(list)?.join(' ') || 'none';

test('merging prefixes yields the smallest set with the same addresses', () => {
  const lists = [
    ...listed(`- | 192.0.2.1 192.0.2.1 | 192.0.2.0/24 192.0.2.64/26 | 192.0.2.64/26 192.0.2.0/24
      192.0.2.128/25 192.0.2.0/25`),
    '10.0.0.0/10 10.64.0.0/10 10.128.0.0/9',
    '192.0.2.128/25 192.0.3.0/25',
    '192.0.2.0/25 192.0.2.128 192.0.2.129',
    ...listed(`::1 192.0.2.1 ::0 | 0.0.0.0/1 128.0.0.0/1 ::/0 | 255.255.255.255 0.0.0.0 ffff::/16 | 192.0.2.1 192.0.2.2
      192.0.2.0/24 192.0.2.0/25 | 192.0.2.0/25 192.0.2.0/24 | 192.0.2.1 192.0.2.3 | ::/1 8000::/1
      192.0.2.3 192.0.2.1 192.0.2.2`),
  ];
  expect(byAnswer(asWritten(lists), (list) => shown(prefixesOf(setOf(list))))).toMatchSnapshot();
});

test('addresses at the ends of the intervals of a set', () => {
  const set = setOf('192.0.2.2/31 192.0.2.8/30 192.0.2.16 2001:db8::/127');
  const isIn = (text: string) => String(includes(set, parseIp(text) ?? { family: 4, value: 0n }));
  const addresses = words('2001:db8:: 2001:db8::1 2001:db8::2 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff ::');
  addresses.push(...Array.from({ length: 19 }, (_, n) => `192.0.2.${n}`));
  expect(byAnswer(asWritten(addresses), isIn)).toMatchSnapshot();
  expect(includes(EMPTY, { family: 4, value: 0n })).toBe(false);
});

describe('the difference of two sets', () => {
  test('is recorded', () => {
    const pairs = [
      ...listed(`192.0.2.0/24 - 198.51.100.0/24 | 192.0.2.0/24 - 192.0.0.0/16 | 192.0.2.0/24 - 192.0.2.0/25
      192.0.2.0/24 - 192.0.2.255`),
      '192.0.2.0/29 - 192.0.2.1 192.0.2.4',
      '192.0.2.0/31 192.0.2.4/31 - 192.0.2.1 192.0.2.4',
      '0.0.0.0/0 ::/0 - ::/1',
      ...listed(`192.0.2.4/30 - 192.0.2.0/30 | 192.0.2.4/30 - 192.0.2.4 | 192.0.2.4/30 - 192.0.2.7
      192.0.2.4/30 192.0.2.12/30 - 192.0.2.0/28`),
      '192.0.2.4/30 192.0.2.12/30 - 192.0.2.5 192.0.2.8/30 192.0.2.14',
      '192.0.2.4/30 - 192.0.2.0/31 192.0.2.3 192.0.2.8',
    ];
    const answer = (pair: string) => {
      const [from = '', removed = ''] = pair.split(' - ');
      return shown(prefixesOf(difference(setOf(from), setOf(removed))));
    };
    expect(byAnswer(asWritten(pairs), answer)).toMatchSnapshot();
  });

  test('and the removed prefixes add up to the original set, for many random sets', () => {
    const below = random(1);
    for (let round = 0; round < 300; round += 1) {
      const some = () =>
        ipSet(prefixes(Array.from({ length: below(8) }, () => `10.0.0.${below(256)}/${24 + below(9)}`)));
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
