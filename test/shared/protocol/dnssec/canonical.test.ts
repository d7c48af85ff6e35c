import { describe, expect, test } from '@jest/globals';
import type { RecordSet } from '../../../../shared/protocol/dns.ts';
import { type SignatureHeader, signedOctets } from '../../../../shared/protocol/dnssec/canonical.ts';

const header: SignatureHeader = {
  typeCovered: 'MX',
  algorithm: 13,
  labels: 2,
  originalTtl: 0x0e10,
  expiration: 0x6a000000,
  inception: 0x69000000,
  keyTag: 0x1234,
  signerName: 'A.example',
};
const headerHex = '000f0d0200000e106a000000690000001234' + '0161076578616d706c6500';

const mx = (preference: number, wire: string) =>
  Buffer.concat([Buffer.of(0, preference), Buffer.from(wire, 'latin1')]);
const set = (name: string, type: string, ...rdata: Uint8Array[]): RecordSet => ({
  name,
  type,
  ttl: 60,
  rdata,
  signatures: [],
});
const hex = (octets: Uint8Array | undefined) =>
  octets === undefined ? undefined : Buffer.from(octets).toString('hex');
const owner = '0161076578616d706c6500';

describe('the data that a signature covers (RFC 4034 section 3.1.8.1)', () => {
  test('is the RRSIG without its signature, then each record with the original TTL', () => {
    const octets = signedOctets(set('a.example', 'MX', mx(10, '\x01m\x00')), header);
    expect(hex(octets)).toBe(`${headerHex}${owner}000f000100000e100005000a016d00`);
  });

  test('has names in RDATA in lower case (section 6.2)', () => {
    const octets = signedOctets(set('a.example', 'MX', mx(10, '\x01M\x00')), header);
    expect(hex(octets)).toBe(`${headerHex}${owner}000f000100000e100005000a016d00`);
  });

  test('keeps the case of text', () => {
    const octets = signedOctets(set('a.example', 'TXT', Buffer.from('\x02Ab')), {
      ...header,
      typeCovered: 'TXT',
    });
    expect(hex(octets)?.endsWith('0003024162')).toBe(true);
  });

  test('keeps the octets of the numbers at the end of an SOA', () => {
    const numbers = Buffer.alloc(20, 'A');
    const soa = Buffer.concat([Buffer.from('\x01N\x00\x01H\x00', 'latin1'), numbers]);
    const octets = signedOctets(set('a.example', 'SOA', soa), { ...header, typeCovered: 'SOA' });
    expect(hex(octets)?.endsWith(`016e00016800${numbers.toString('hex')}`)).toBe(true);
  });

  test('has records sorted as octet strings without duplicates (section 6.3)', () => {
    const records = [mx(20, '\x01a\x00'), mx(10, '\x01b\x00'), mx(10, '\x01B\x00'), mx(10, '\x01a\x00')];
    const octets = signedOctets(set('a.example', 'MX', ...records), header);
    const record = (rest: string) => `${owner}000f000100000e100005${rest}`;
    expect(hex(octets)).toBe(
      `${headerHex}${record('000a016100')}${record('000a016200')}${record('0014016100')}`,
    );
  });

  test('has a shorter record before a longer one with the same prefix', () => {
    const octets = signedOctets(set('a.example', 'TXT', Buffer.from('ab'), Buffer.from('a')), {
      ...header,
      typeCovered: 'TXT',
    });
    expect(hex(octets)?.endsWith(`000161${owner}0010000100000e1000026162`)).toBe(true);
  });

  test('has the wildcard in place of a name expanded from it (RFC 4035 section 5.3.2)', () => {
    const octets = signedOctets(set('x.y.example', 'MX', mx(10, '\x00')), { ...header, labels: 1 });
    expect(hex(octets)?.slice(headerHex.length)).toBe('012a076578616d706c6500000f000100000e100003000a00');
  });

  test('has a single label for a wildcard of the root', () => {
    const octets = signedOctets(set('x.example', 'MX', mx(10, '\x00')), { ...header, labels: 0 });
    expect(hex(octets)?.slice(headerHex.length)).toBe('012a00000f000100000e100003000a00');
  });

  test.each([
    ['more labels than the owner has', set('example', 'MX'), header],
    ['a type that is never queried', set('a.example', 'TYPE65280'), { ...header, typeCovered: 'TYPE65280' }],
    ['an owner with a label of 64 octets', set(`${'a'.repeat(64)}.example`, 'MX'), header],
    ['a signer of more than 255 octets', set('a.example', 'MX'), { ...header, signerName: 'a.'.repeat(128) }],
  ])('does not exist with %s', (_, records, signature) => {
    expect(signedOctets(records, signature)).toBeUndefined();
  });
});
