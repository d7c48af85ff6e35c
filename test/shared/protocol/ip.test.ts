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

describe('an invalid IP address', () => {
  test.each([
    ['', 'nothing'],
    ['192.0.2', 'three octets'],
    ['192.0.2.1.1', 'five octets'],
    ['192.0.2.256', 'an octet over 255'],
    ['192.0.2.01', 'a leading zero, which some read as octal'],
    ['0x7f.0.0.1', 'a hexadecimal octet'],
    [' 192.0.2.1', 'a space'],
    ['2001:db8::1::', 'two gaps'],
    ['2001:db8:1', 'too few groups'],
    ['1:2:3:4:5:6:7:8:9', 'too many groups'],
    ['12345::', 'a group of five digits'],
    ['fe80::1%eth0', 'a zone'],
    ['[::1]', 'brackets'],
    ['192.0.2.1/24', 'a prefix'],
  ])('%j: %s', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

describe('prefixes', () => {
  test.each([
    ['192.0.2.129/25', '192.0.2.128/25'],
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1/32', '192.0.2.1'],
    ['192.0.2.1/0', '0.0.0.0/0'],
    ['2001:db8::1/32', '2001:db8::/32'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['::1/0', '::/0'],
  ])('%s means %s', (text, canonical) => {
    expect(formatPrefix(prefix(text))).toBe(canonical);
  });

  test.each([
    ['192.0.2.0/33', 'longer than an address'],
    ['2001:db8::/129', 'longer than an address'],
    ['192.0.2.0/024', 'a leading zero'],
    ['192.0.2.0/', 'no length'],
    ['192.0.2.0/24/24', 'two lengths'],
    ['192.0.2.0/-1', 'a sign'],
    ['192.0.2.0/ 24', 'a space'],
    ['/24', 'no address'],
  ])('%s is invalid: %s', (text) => {
    expect(parsePrefix(text)).toBeUndefined();
  });

  test.each([
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '192.0.2.1', false],
    ['::ffff:0:0/96', '192.0.2.1', false],
    ['2001:db8::/32', '2001:db8:ffff::', true],
    ['192.0.2.0/24', '192.0.2.0/25', true],
    ['192.0.2.0/25', '192.0.2.0/24', false],
    ['192.0.2.0/24', '192.0.2.0/24', true],
  ])('whether %s contains %s: %s', (outer, inner, expected) => {
    expect(contains(prefix(outer), parseIp(inner) ?? prefix(inner))).toBe(expected);
  });

  test('the prefix of an address keeps its first bits', () => {
    expect(formatPrefix(prefixOf(ip('198.51.100.77'), 26))).toBe('198.51.100.64/26');
  });
});

test('prefixes sort IPv4 before IPv6, then numerically, then wider prefixes first', () => {
  const sorted = ['0.0.0.0/0', '9.0.0.0/8', '10.0.0.0/8', '10.0.0.0/24', '10.0.0.0', '::', '2::', '10::/16'];
  const shuffled = [...sorted].sort();
  expect(shuffled.map(prefix).sort(compareIps).map(formatPrefix)).toEqual(sorted);
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
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1/120', '192.0.2.0/24'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  ['::ffff:0:0/95', '::fffe:0:0/95'],
  ['::/0', '::/0'],
  ['2001:db8::1/112', '2001:db8::/112'],
  ['192.0.2.1/24', '192.0.2.0/24'],
])('clients of %s are those of %s', (text, network) => {
  expect(formatPrefix(parseNetwork(text) as IpPrefix)).toBe(network);
});

test('what is no network has no clients', () => {
  expect([parseNetwork('::ffff:192.0.2.1/129'), parseNetwork('')]).toEqual([undefined, undefined]);
});

test.each([
  ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
  ['2001:db8::cb01', '1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
])('the PTR records of %s are at %s', (text, name) => {
  expect(reverseName(ip(text))).toBe(name);
});
