import { expect, test } from '@jest/globals';
import { readIpData } from '../../../shared/protocol/ip-data.ts';
import { asWritten, byAnswer, listed, type Named } from '../../kit/answers.ts';
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

test('fields of every form are read as recorded', () => {
  const codes = ['DE', 'de', 'D', 'DEU', ''];
  const forms =
    listed(`{"autonomous_system_number":0} | {"autonomous_system_number":1} | {"autonomous_system_number":4294967295}
      {"asn":"AS1"} | {"asn":"AS0"} | {"asn":"AS01"} | {"asn":"AS4294967295"} | {"asn":"AS12345678901"} | {"asn":"as1"} | {"asn":"1"} | {"asn":"AS"}
      {"autonomous_system_number":5,"asn":"AS6"} | {"as_name":""} | {"autonomous_system_organization":"A","as_name":"B"}
      {"autonomous_system_organization":"","as_name":"B"} | {"country_code":"FR","country":{"iso_code":"DE"}} | {"country":{"code":"DE"}}`).concat(
      [199, 200, 201].map((length) => `{"as_name":"${'x'.repeat(length)}"}`),
      codes.map((code) => `{"country":"${code}"}`),
      codes.map((code) => `{"country":{"iso_code":"${code}"}}`),
      codes.map((code) => `{"country_code":"${code}"}`),
    );
  const fileOf = (form: string) => mmdb('x', '2026-01-31', { '192.0.2.0/24': JSON.parse(form) });
  const answer = (form: string) => {
    const owner = named(fileOf(form)).ownerOf('192.0.2.1');
    return owner === undefined
      ? 'nothing'
      : Object.values(owner)
          .map((value) => (typeof value === 'string' && value.length > 9 ? value.length : value))
          .join(' ');
  };
  expect(byAnswer(asWritten(forms), answer)).toMatchSnapshot();
});

test('faults of metadata are told as recorded', () => {
  const keys = ['binary_format_major_version', 'ip_version', 'node_count', 'record_size'];
  const changed = keys.flatMap((key) =>
    [0, 1, 3, 4, 5, 6, 7].map((value): Named<Buffer> => {
      const bytes = Buffer.from(country);
      const at = bytes.lastIndexOf(key) + key.length;
      // The last octet of a number of four octets behind its head.
      bytes.writeUInt8(value, at + 4);
      return [`${key} ${value}`, bytes];
    }),
  );
  const undated = Buffer.from(country);
  const epoch = undated.lastIndexOf('build_epoch') + 'build_epoch'.length;
  undated.fill(0, epoch + 1, epoch + 5);
  const ends = [bytesOf(country, 16), bytesOf(country, 1)].map(
    (bytes, at): Named<Buffer> => [`separator ${at}`, bytes],
  );
  const answer = (bytes: Buffer) => {
    try {
      return `read, ${named(bytes).sources[0]?.day}`;
    } catch (error) {
      return (error as Error).message.replace('/data/0.mmdb is no MMDB file, or is damaged: ', '');
    }
  };
  expect(
    byAnswer(
      [
        ...changed,
        ...ends,
        ['no day', undated],
        ['nothing', Buffer.alloc(0)],
        ['a page', Buffer.from('<html>')],
      ],
      answer,
    ),
  ).toMatchSnapshot();
});

/** With an octet other than zero so far before the first data, behind the search tree. */
function bytesOf(file: Buffer, before: number): Buffer {
  const bytes = Buffer.from(file);
  const separator = bytes.indexOf(Buffer.alloc(16));
  bytes.writeUInt8(1, separator + 16 - before);
  return bytes;
}
