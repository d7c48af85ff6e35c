import { describe, expect, test } from '@jest/globals';
import {
  compareIps,
  contains,
  formatIp,
  formatPrefix,
  type IpAddress,
  type IpPrefix,
  parseIp,
  parseNetwork,
  parsePrefix,
  prefixOf,
  reverseName,
  unmapped,
} from '../../../shared/protocol/ip.ts';
import { asWritten, byAnswer, byPlace, type Named, words } from '../../kit/answers.ts';

function ip(text: string): IpAddress {
  const parsed = parseIp(text);
  if (parsed === undefined) throw new Error(`not an address: ${text}`);
  return parsed;
}

function prefix(text: string): IpPrefix {
  const parsed = parsePrefix(text);
  if (parsed === undefined) throw new Error(`not a prefix: ${text}`);
  return parsed;
}

describe('IP addresses in canonical text form (RFC 5952)', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['::ffff:c000:201', '::ffff:192.0.2.1'],
    ['::FFFF:192.0.2.1', '::ffff:192.0.2.1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
  ])('%s is written %s', (text, canonical) => {
    expect(formatIp(ip(text))).toBe(canonical);
    expect(parseIp(canonical)).toEqual(ip(text));
  });
});

describe('recorded answers', () => {
  const address = (text: string) => {
    const parsed = parseIp(text);
    if (parsed === undefined) return 'no address';
    return formatIp(parsed) === text ? 'as written' : formatIp(parsed);
  };
  const network = (text: string) => {
    const parsed = parsePrefix(text);
    return parsed === undefined ? 'no prefix' : formatPrefix(parsed);
  };

  test('to addresses that are almost valid', () => {
    const texts = words(`
      192.0.2 192.0.2.1.1 192.0.2.255 192.0.2.256 192.0.2.01 192.0.2.00 1.1.1.1000 0x7f.0.0.1 192.0.2.1/24 ::: :1 1: :
      2001:db8::1:: 2001:db8:1 1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7:: ::2:3:4:5:6:7:8 1:2:3:4:5:6:7::8 1:2:3::4:5:6:7:8
      12345:: fe80::1%eth0 [::1] ::1.2.3.4:1 1.2.3.4:: 1:2:3:4:5:6:7:1.2.3.4 ::fffe:1.2.3.4 ::1.2.3.256`);
    expect(byAnswer(asWritten(texts), address)).toMatchSnapshot();
    const characters = ['0', '9', '.', ':', ' ', 'f', 'g', '-'];
    expect(byPlace('192.0.2.1', characters, address)).toMatchSnapshot('IPv4 by place');
    expect(byPlace('2001:db8::1', characters, address)).toMatchSnapshot('IPv6 by place');
  });

  test('to prefixes', () => {
    const lengths = words('0 1 7 8 9 23 24 25 31 32 33 63 64 65 95 96 97 127 128 129 256 00 024 -1 24/24');
    const ips = words('255.255.255.255 192.0.2.1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ::ffff:192.0.2.1');
    const texts = ips.flatMap((ip) => [...['', ' 24', ...lengths].map((length) => `${ip}/${length}`), ip]);
    const both = (text: string) => {
      const clients = parseNetwork(text);
      const plain = clients === undefined ? 'none' : formatPrefix(clients);
      return plain === network(text) ? plain : `${network(text)}, clients ${plain}`;
    };
    expect(byAnswer(asWritten([...texts, '/24']), both)).toMatchSnapshot();
  });

  test('to whether one contains the other, and which comes first', () => {
    const all = words(`0.0.0.0/0 ::/0 192.0.2.0/24 192.0.2.0/25 192.0.2.0 192.0.2.255 192.0.3.0 191.0.2.0/24
      2001:db8::/32 2001:db8::1 ::ffff:0:0/96`);
    const pairs = all.flatMap((a) =>
      all.map((b): Named<[IpPrefix, IpPrefix]> => [`${a} ${b}`, [prefix(a), prefix(b)]]),
    );
    const relation = ([a, b]: [IpPrefix, IpPrefix]) =>
      `${contains(a, b) ? 'contains' : 'does not contain'}, ${['before', 'the same', 'after'][Math.sign(compareIps(a, b)) + 1]}`;
    expect(byAnswer(pairs, relation)).toMatchSnapshot();
  });
});

test('the prefix of an address keeps its first bits', () => {
  expect(formatPrefix(prefixOf(ip('198.51.100.77'), 26))).toBe('198.51.100.64/26');
});

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::192.0.2.1', '::c000:201'],
  ['2001:db8::1', '2001:db8::1'],
  ['192.0.2.1', '192.0.2.1'],
])('%s is compared as %s', (text, plain) => {
  expect(formatIp(unmapped(ip(text)))).toBe(plain);
});

test.each([
  ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
  ['2001:db8::cb01', '1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
])('the PTR records of %s are at %s', (text, name) => {
  expect(reverseName(ip(text))).toBe(name);
});
