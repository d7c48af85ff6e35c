import { describe, expect, test } from '@jest/globals';
import { isPublicAddress } from '../../../shared/network/address-guard.ts';
import { words } from '../../kit/answers.ts';

describe('addresses that may be dialled', () => {
  test.each(
    words(`
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0
    198.17.255.255 198.20.0.0 198.51.99.255 203.0.112.255 203.0.114.0 223.255.255.255 168.63.129.15
    2001:200::1 2001:4860:4860::8888 2600:: 2a00:1450:4001::1a 2606:4700:4700::1111 2003::1 3ffe::1
    2001:4860:4860:0:0:0:0:8888 2A00:1450:4001::1A
  `),
  )('%s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('addresses that may not be dialled', () => {
  test.each([
    ['"this network"', '0.0.0.0'],
    ['"this network", its end', '0.255.255.255'],
    ['private', '10.0.0.1'],
    ['private, its end', '10.255.255.255'],
    ['carrier-grade NAT', '100.64.0.1'],
    ["a cloud's metadata inside it", '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback, its end', '127.255.255.254'],
    ['link-local, cloud metadata', '169.254.169.254'],
    ['container metadata', '169.254.170.2'],
    ['a platform service', '168.63.129.16'],
    ['private', '172.16.0.1'],
    ['private, its end', '172.31.255.255'],
    ['IETF protocol assignments', '192.0.0.1'],
    ['metadata in IETF protocol assignments', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['6to4 relay', '192.88.99.1'],
    ['private', '192.168.1.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking, its end', '198.19.255.255'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['multicast, its end', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['IPv6 unspecified', '::'],
    ['IPv6 loopback', '::1'],
    ['IPv6 loopback in full', '0:0:0:0:0:0:0:1'],
    ['IPv4-mapped private', '::ffff:10.0.0.1'],
    ['IPv4-mapped in hexadecimal', '::ffff:7f00:1'],
    ['IPv4-mapped public, a form that no DNS response needs', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-compatible public', '::8.8.8.8'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
    ['NAT64 of a public address', '64:ff9b::8.8.8.8'],
    ['local NAT64', '64:ff9b:1::1'],
    ['discard-only', '100::1'],
    ['dummy prefix', '100:0:0:1::1'],
    ['6to4 of a private address', '2002:a00:1::1'],
    ['6to4 of a public address', '2002:808:808::1'],
    ['Teredo', '2001:0:808:808::1'],
    ['benchmarking', '2001:2::1'],
    ['ORCHID', '2001:10::1'],
    ['ORCHIDv2', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['segment routing', '5f00::1'],
    ['unique local', 'fc00::1'],
    ["unique local, a cloud's metadata", 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local, its end', 'febf::1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['outside global unicast', '4000::1'],
    ['outside global unicast', '1fff::1'],
  ])('%s: %s', (_title, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    ['octal', '010.0.0.1'],
    ['octal of a public address', '010.010.010.010'],
    ['hexadecimal', '0x08080808'],
    ['hexadecimal parts', '0x8.0x8.0x8.0x8'],
    ['a single number', '134744072'],
    ['three parts', '8.8.2056'],
    ['five parts', '8.8.8.8.8'],
    ['a part above 255', '8.8.8.256'],
    ['a zone id', 'fe80::1%eth0'],
    ['a zone id on a public address', '2600::1%eth0'],
    ['brackets', '[2600::1]'],
    ['a port', '8.8.8.8:25'],
    ['a prefix', '8.8.8.8/32'],
    ['spaces', ' 8.8.8.8'],
    ['a line break', '8.8.8.8\n'],
    ['full-width digits', '８.8.8.8'],
    ['a trailing dot', '8.8.8.8.'],
    ['a name', 'example.org'],
    ['an empty text', ''],
  ])('text that is not one address in canonical form: %s', (_title, text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});
