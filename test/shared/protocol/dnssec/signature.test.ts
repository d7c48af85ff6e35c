import { describe, expect, test } from '@jest/globals';
import { type ZoneKey, zoneKeys } from '../../../../shared/protocol/dnssec/dnskey.ts';
import { verifySet } from '../../../../shared/protocol/dnssec/signature.ts';
import { makeKey, now, rdata, signed, type TestKey } from './signed-world.ts';

const set = { name: 'a.example', type: 'A', rdata: [rdata.A('192.0.2.1'), rdata.A('192.0.2.2')] };
const key = makeKey('example');
const keysOf = (...all: TestKey[]): ZoneKey[] => zoneKeys(all.map((it) => it.rdata));
const seconds = now.getTime() / 1000;

describe('a signature holds', () => {
  test.each([5, 7, 8, 10, 13, 14, 15, 16])('made with algorithm %i', (algorithm) => {
    const own = makeKey('example', algorithm);
    const good = signed(set, own);
    expect(verifySet(good, 'example', keysOf(own), now).status).toBe('good');
    const changed = { ...good, rdata: [rdata.A('192.0.2.1'), rdata.A('192.0.2.3')] };
    expect(verifySet(changed, 'example', keysOf(own), now)).toMatchObject({
      status: 'bad',
      problems: [{ problem: 'invalid' }],
    });
  });

  test('whatever the order of the records and the case of the name', () => {
    const good = signed(set, key);
    const other = { ...good, name: 'A.example', rdata: [...good.rdata].reverse() };
    expect(verifySet(other, 'example', keysOf(key), now).status).toBe('good');
  });

  test('for a name made from a wildcard, by the labels field', () => {
    const wildcard = signed({ ...set, name: '*.example' }, key);
    expect(verifySet({ ...wildcard, name: 'q.r.example' }, 'example', keysOf(key), now).status).toBe('good');
    expect(verifySet(wildcard, 'example', keysOf(key), now).status).toBe('good');
  });

  test('beside one that does not', () => {
    const both = signed(signed(set, key, { expiration: seconds - 1 }), key);
    expect(verifySet(both, 'example', keysOf(key), now).status).toBe('good');
  });

  test('to the second of its end and from that of its beginning', () => {
    const brief = signed(set, key, { inception: seconds, expiration: seconds });
    expect(verifySet(brief, 'example', keysOf(key), now).status).toBe('good');
  });

  test('across the turn of the 32-bit second (RFC 1982)', () => {
    const wrapped = signed(set, key, { inception: 0xfffffff0, expiration: 0x10 });
    expect(verifySet(wrapped, 'example', keysOf(key), new Date(0x1_0000_0000 * 1000)).status).toBe('good');
  });
});

describe('a signature does not hold', () => {
  test.each([
    ['expired', signed(set, key, { expiration: seconds - 1 }), 'expired'],
    ['not valid yet', signed(set, key, { inception: seconds + 1 }), 'not-yet-valid'],
    ['by a key of another tag', signed(set, key, { keyTag: key.keyTag ^ 1 }), 'no-key'],
    ['by a key of another algorithm', signed(set, key, { algorithm: 14 }), 'no-key'],
    ['of an algorithm that cannot be checked', signed(set, key, { algorithm: 12 }), 'unsupported-algorithm'],
    ['over the next name', { ...signed(set, key), name: 'b.example' }, 'invalid'],
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
    ['an RSA key without modulus', 8, Buffer.of(3, 1, 0, 1)],
    ['an RSA key with an exponent longer than the key', 8, Buffer.of(0, 255, 255, 1)],
    ['an RSA key of 8192 bits', 8, Buffer.concat([Buffer.of(1, 3), Buffer.alloc(1024, 1)])],
    ['an RSA key with an endless exponent', 8, Buffer.concat([Buffer.of(200), Buffer.alloc(400, 1)])],
  ])('with %s', (_, algorithm, octets) => {
    const [bad] = zoneKeys([Buffer.concat([Buffer.of(1, 1, 3, algorithm), octets])]);
    if (bad === undefined) throw new Error('no key');
    const made = signed(set, makeKey('example', algorithm), { keyTag: bad.keyTag });
    expect(verifySet(made, 'example', [bad], now)).toMatchObject({
      status: 'bad',
      problems: [{ problem: 'invalid' }],
    });
  });
});

describe('a zone made to keep validators busy (CVE-2023-50387)', () => {
  test('with nine signatures over a set is given up', () => {
    let many = signed(set, key);
    for (let left = 8; left > 0; left -= 1) many = signed(many, key);
    expect(verifySet(many, 'example', keysOf(key), now).status).toBe('too-costly');
  });

  test('with nine keys of one tag is given up', () => {
    const own = keysOf(key)[0];
    if (own === undefined) throw new Error('no key');
    expect(verifySet(signed(set, key), 'example', Array(9).fill(own), now).status).toBe('too-costly');
  });
});
