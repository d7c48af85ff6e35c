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
  // One of each kind, the ends of some, and those of metadata services of clouds.
  test.each(
    words(`
    0.0.0.0 0.255.255.255 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254
    169.254.169.254 169.254.170.2 168.63.129.16 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1
    192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255
    240.0.0.1 255.255.255.255 :: ::1 0:0:0:0:0:0:0:1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8
    ::127.0.0.1 ::8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1
    100:0:0:1::1 2002:a00:1::1 2002:808:808::1 2001:0:808:808::1 2001:2::1 2001:10::1 2001:20::1
    2001:db8::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 febf::1 fec0::1 ff02::1 4000::1 1fff::1
  `),
  )('%s', (address) => {
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
