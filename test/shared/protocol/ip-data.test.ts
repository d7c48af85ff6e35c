import { expect, test } from '@jest/globals';
import { readIpData } from '../../../shared/protocol/ip-data.ts';
import { mmdb } from '../../kit/mmdb.ts';

const asn = mmdb('Example-ASN', '2026-01-31', {
  '192.0.2.0/24': { autonomous_system_number: 64_500, autonomous_system_organization: 'Example Networks' },
  '192.0.2.128/25': { autonomous_system_number: 64_501 },
  '2001:db8::/32': { asn: 'AS64502', as_name: 'Six', country_code: 'FR' },
});
const country = mmdb('Example-Country', '2026-02-28', {
  '192.0.2.0/24': { country: { iso_code: 'DE' }, continent: { code: 'EU' } },
  '198.51.100.0/24': { country: 'US', asn: 'none', autonomous_system_number: 'x' },
  '203.0.113.0/24': { country: { iso_code: 'somewhere' } },
});
const named = (...files: readonly Buffer[]) =>
  readIpData(files.map((bytes, at) => ({ path: `/data/${at}.mmdb`, bytes })));

test('the network, its owner and the country of an address are from the first file that has each of them', () => {
  const { sources, ownerOf } = named(asn, country);
  expect(sources).toEqual([
    { name: 'Example-ASN', day: '2026-01-31' },
    { name: 'Example-Country', day: '2026-02-28' },
  ]);
  expect(ownerOf('192.0.2.1')).toEqual({ asn: 64_500, owner: 'Example Networks', country: 'DE' });
  expect(ownerOf('192.0.2.200')).toEqual({ asn: 64_501, owner: null, country: 'DE' });
  expect(ownerOf('2001:db8::1')).toEqual({ asn: 64_502, owner: 'Six', country: 'FR' });
});

test('nothing is said about addresses that no file has, and fields of another form are ignored', () => {
  const { ownerOf } = named(asn, country);
  expect(ownerOf('198.51.100.1')).toEqual({ asn: null, owner: null, country: 'US' });
  for (const address of ['203.0.113.1', '233.252.0.1', '2001:db9::1', 'unknown', ''])
    expect(ownerOf(address)).toBeUndefined();
  expect(named().ownerOf('192.0.2.1')).toBeUndefined();
});

test.each<[string, Buffer]>([
  ['is empty', Buffer.alloc(0)],
  ['is something else', Buffer.from('<html>Please sign in</html>')],
  ['was cut off', asn.subarray(0, asn.length - 200)],
  ['lacks its middle', Buffer.concat([asn.subarray(0, 300), asn.subarray(500)])],
  [
    'has lost its data',
    Buffer.from(asn).fill(0xff, asn.indexOf('Example Networks') - 60, asn.lastIndexOf('MaxMind') - 3),
  ],
])('a file that %s is refused by name', (_, bytes) => {
  expect(() => named(country, bytes)).toThrow(/^\/data\/1\.mmdb is no MMDB file, or is damaged: /);
});
