import { describe, expect, test } from '@jest/globals';
import { type ZoneKey, zoneKeys } from '../../../../shared/protocol/dnssec/dnskey.ts';
import { verifySet } from '../../../../shared/protocol/dnssec/signature.ts';
import { makeKey, now, rdata, signed, type TestKey } from './signed-world.ts';

const set = { name: 'a.example', type: 'A', rdata: [rdata.A('192.0.2.1'), rdata.A('192.0.2.2')] };
const key = makeKey('example');
const keysOf = (...all: TestKey[]): ZoneKey[] => zoneKeys(all.map((it) => it.rdata));
const seconds = now.getTime() / 1000;

describe('a valid signature', () => {
  test.each([5, 7, 8, 10, 13, 14, 15, 16])('has algorithm %i', (algorithm) => {
    const own = makeKey('example', algorithm);
    const good = signed(set, own);
    expect(verifySet(good, 'example', keysOf(own), now).status).toBe('good');
    const changed = { ...good, rdata: [rdata.A('192.0.2.1'), rdata.A('192.0.2.3')] };
    expect(verifySet(changed, 'example', keysOf(own), now)).toMatchObject({
      status: 'bad',
      problems: [{ problem: 'invalid' }],
    });
  });

  test('covers records in any order and names in any case', () => {
    const good = signed(set, key);
    const other = { ...good, name: 'A.example', rdata: [...good.rdata].reverse() };
    expect(verifySet(other, 'example', keysOf(key), now).status).toBe('good');
  });

  test('covers a name expanded from a wildcard, according to its labels field', () => {
    const wildcard = signed({ ...set, name: '*.example' }, key);
    expect(verifySet({ ...wildcard, name: 'q.r.example' }, 'example', keysOf(key), now).status).toBe('good');
    expect(verifySet(wildcard, 'example', keysOf(key), now).status).toBe('good');
  });

  test('is enough beside an invalid one', () => {
    const both = signed(signed(set, key, { expiration: seconds - 1 }), key);
    expect(verifySet(both, 'example', keysOf(key), now).status).toBe('good');
  });

  test('is valid from the second of its inception to that of its expiration', () => {
    const brief = signed(set, key, { inception: seconds, expiration: seconds });
    expect(verifySet(brief, 'example', keysOf(key), now).status).toBe('good');
  });

  test('is valid across the wraparound of the 32-bit time (RFC 1982)', () => {
    const wrapped = signed(set, key, { inception: 0xfffffff0, expiration: 0x10 });
    expect(verifySet(wrapped, 'example', keysOf(key), new Date(0x1_0000_0000 * 1000)).status).toBe('good');
  });
});

describe('an invalid signature', () => {
  test.each([
    ['expired', signed(set, key, { expiration: seconds - 1 }), 'expired'],
    ['that begins in a second', signed(set, key, { inception: seconds + 1 }), 'not-yet-valid'],
    ['by a key of another tag', signed(set, key, { keyTag: key.keyTag ^ 1 }), 'no-key'],
    ['by a key of another algorithm', signed(set, key, { algorithm: 14 }), 'no-key'],
    ['with an unsupported algorithm', signed(set, key, { algorithm: 12 }), 'unsupported-algorithm'],
    ['over another name', { ...signed(set, key), name: 'b.example' }, 'invalid'],
    ['with more labels than the name', signed(set, key, { labels: 3 }), 'invalid'],
  ])('%s', (_, bad, problem) => {
    expect(verifySet(bad, 'example', keysOf(key), now)).toMatchObject({
      status: 'bad',
      problems: [{ problem }],
    });
  });

  test.each([
    ['of another zone', signed(set, makeKey('other'))],
    ['over another type', signed(set, key, { typeCovered: 'AAAA' })],
  ])('%s: the set counts as unsigned', (_, other) => {
    expect(verifySet(other, 'example', keysOf(key), now).status).toBe('unsigned');
  });

  test.each([
    ['an EC key off the curve', 13, Buffer.alloc(64, 1)],
    ['an EC key of the wrong length', 13, Buffer.alloc(63, 1)],
    ['an Ed25519 key of the wrong length', 15, Buffer.alloc(31, 1)],
    ['an RSA key without a modulus', 8, Buffer.of(3, 1, 0, 1)],
    ['an RSA key with an exponent longer than the key', 8, Buffer.of(0, 255, 255, 1)],
    ['an RSA key of 8192 bits', 8, Buffer.concat([Buffer.of(1, 3), Buffer.alloc(1024, 1)])],
    ['an RSA key with an excessive exponent', 8, Buffer.concat([Buffer.of(200), Buffer.alloc(400, 1)])],
  ])('is rejected with %s', (_, algorithm, octets) => {
    const [bad] = zoneKeys([Buffer.concat([Buffer.of(1, 1, 3, algorithm), octets])]);
    if (bad === undefined) throw new Error('no key');
    const made = signed(set, makeKey('example', algorithm), { keyTag: bad.keyTag });
    expect(verifySet(made, 'example', [bad], now)).toMatchObject({
      status: 'bad',
      problems: [{ problem: 'invalid' }],
    });
  });
});

describe('a zone designed to exhaust validators (CVE-2023-50387)', () => {
  test('with nine signatures over a set is abandoned', () => {
    let many = signed(set, key);
    for (let left = 8; left > 0; left -= 1) many = signed(many, key);
    expect(verifySet(many, 'example', keysOf(key), now).status).toBe('too-costly');
  });

  test('with nine keys with one key tag is abandoned', () => {
    const own = keysOf(key)[0];
    if (own === undefined) throw new Error('no key');
    expect(verifySet(signed(set, key), 'example', Array(9).fill(own), now).status).toBe('too-costly');
  });
});
