/** DELEG (draft-ietf-deleg): a resolver that does not know it ignores its records, and what announces them. */
import { expect, test } from '@jest/globals';
import { resolve } from '../../../../shared/network/dns-answer.ts';
import { zoneKeys } from '../../../../shared/protocol/dnssec/dnskey.ts';
import { lacksType, readTypes } from '../../../../shared/protocol/dnssec/type-bitmap.ts';

test('records of an unknown type beside an answer do not change it', async () => {
  const record = (name: string, type: string, rdata: Uint8Array) => ({ name, type, ttl: 60, rdata });
  const message = {
    ...{ rcode: 'NOERROR', authoritative: true, recursive: true },
    answers: [record('example.org', 'A', Uint8Array.of(192, 0, 2, 1))],
    authorities: [record('example.org', 'TYPE61440', Uint8Array.of(0, 1, 2))],
  };
  const answered = async () => ({ message, octets: 100, evidence: { milliseconds: 0 } });
  const { answer } = await resolve('example.org', 'A', true, answered);
  expect(answer).toMatchObject({ status: 'found', records: ['192.0.2.1'] });
});

test('a key with the flag that announces DELEG signs the zone', () => {
  const rdata = Uint8Array.of(0x01, 0x03, 3, 13, ...new Uint8Array(64));
  expect(zoneKeys([rdata])).toMatchObject([{ flags: 0x0103, algorithm: 13 }]);
});

test('a name with an unknown type in a high window still lacks the others', () => {
  const bitmap = Uint8Array.of(0, 1, 0b0100_0000, 240, 1, 0b1000_0000);
  const types = readTypes(bitmap);
  expect(types?.has('A')).toBe(true);
  expect(types === undefined ? undefined : lacksType(types, 'MX', false)).toBe(true);
});
