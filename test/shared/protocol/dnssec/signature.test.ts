import { describe, expect, test } from '@jest/globals';
import type { RecordSet } from '../../../../shared/protocol/dns.ts';
import { type ZoneKey, zoneKeys } from '../../../../shared/protocol/dnssec/dnskey.ts';
import { createEffort } from '../../../../shared/protocol/dnssec/effort.ts';
import { createVerifier } from '../../../../shared/protocol/dnssec/signature.ts';
import { makeKey, now, rdata, signed, type TestKey } from './signed-world.ts';

const set = { name: 'a.example', type: 'A', rdata: [rdata.A('192.0.2.1'), rdata.A('192.0.2.2')] };
const key = makeKey('example');
const keysOf = (...all: TestKey[]): ZoneKey[] => zoneKeys(all.map((it) => it.rdata));
const verifySet = (tested: RecordSet, signer: string, keys: readonly ZoneKey[], at: Date) =>
  createVerifier({ now: () => at }, createEffort()).verify(tested, signer, keys);
const seconds = now.getTime() / 1000;

describe('a valid signature', () => {
  test.each([5, 7, 8, 10, 13, 14, 15, 16])('has algorithm %i', async (algorithm) => {
    const own = makeKey('example', algorithm);
    const good = signed(set, own);
    expect((await verifySet(good, 'example', keysOf(own), now)).status).toBe('good');
    const changed = { ...good, rdata: [rdata.A('192.0.2.1'), rdata.A('192.0.2.3')] };
    expect(await verifySet(changed, 'example', keysOf(own), now)).toMatchObject({
      status: 'bad',
      problems: [{ problem: 'invalid' }],
    });
  });

  test('covers records in any order and names in any case', async () => {
    const good = signed(set, key);
    const other = { ...good, name: 'A.example', rdata: [...good.rdata].reverse() };
    expect((await verifySet(other, 'example', keysOf(key), now)).status).toBe('good');
  });

  test('covers a name expanded from a wildcard, according to its labels field', async () => {
    const wildcard = signed({ ...set, name: '*.example' }, key);
    expect((await verifySet({ ...wildcard, name: 'q.r.example' }, 'example', keysOf(key), now)).status).toBe(
      'good',
    );
    expect((await verifySet(wildcard, 'example', keysOf(key), now)).status).toBe('good');
  });

  test('is enough beside an invalid one', async () => {
    const both = signed(signed(set, key, { expiration: seconds - 1 }), key);
    expect((await verifySet(both, 'example', keysOf(key), now)).status).toBe('good');
  });

  test('is valid from the second of its inception to that of its expiration', async () => {
    const brief = signed(set, key, { inception: seconds, expiration: seconds });
    expect((await verifySet(brief, 'example', keysOf(key), now)).status).toBe('good');
  });

  test('is valid across the wraparound of the 32-bit time (RFC 1982)', async () => {
    const wrapped = signed(set, key, { inception: 0xfffffff0, expiration: 0x10 });
    expect((await verifySet(wrapped, 'example', keysOf(key), new Date(0x1_0000_0000 * 1000))).status).toBe(
      'good',
    );
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
    [
      'that ends before it begins (RFC 4034 section 3.1.5)',
      signed(set, key, { inception: seconds - 0x6000_0000, expiration: seconds + 0x6000_0000 }),
      'invalid',
    ],
    ['with more labels than the name', signed(set, key, { labels: 3 }), 'invalid'],
  ])('%s', async (_, bad, problem) => {
    expect(await verifySet(bad, 'example', keysOf(key), now)).toMatchObject({
      status: 'bad',
      problems: [{ problem }],
    });
  });

  test.each([
    ['of another zone', signed(set, makeKey('other'))],
    ['over another type', signed(set, key, { typeCovered: 'AAAA' })],
  ])('%s: the set counts as unsigned', async (_, other) => {
    expect((await verifySet(other, 'example', keysOf(key), now)).status).toBe('unsigned');
  });

  test.each([
    ['an EC key off the curve', 13, Buffer.alloc(64, 1)],
    ['an EC key of the wrong length', 13, Buffer.alloc(63, 1)],
    ['an Ed25519 key of the wrong length', 15, Buffer.alloc(31, 1)],
    ['an RSA key without a modulus', 8, Buffer.of(3, 1, 0, 1)],
    ['an RSA key with an exponent longer than the key', 8, Buffer.of(0, 255, 255, 1)],
    ['an RSA key of 8192 bits', 8, Buffer.concat([Buffer.of(1, 3), Buffer.alloc(1024, 1)])],
    ['an RSA key with an excessive exponent', 8, Buffer.concat([Buffer.of(200), Buffer.alloc(400, 1)])],
  ])('is rejected with %s', async (_, algorithm, octets) => {
    const [bad] = zoneKeys([Buffer.concat([Buffer.of(1, 1, 3, algorithm), octets])]);
    if (bad === undefined) throw new Error('no key');
    const made = signed(set, makeKey('example', algorithm), { keyTag: bad.keyTag });
    expect(await verifySet(made, 'example', [bad], now)).toMatchObject({
      status: 'bad',
      problems: [{ problem: 'invalid' }],
    });
  });
});

describe('a zone designed to exhaust validators (CVE-2023-50387)', () => {
  test('with eight invalid signatures beside a valid one is abandoned', async () => {
    let many: RecordSet = { ...set, ttl: 300, signatures: [] };
    for (let left = 8; left > 0; left -= 1) many = signed(many, key);
    const broken = many.signatures.map((it) => ({ ...it, signature: Buffer.alloc(64, 1) }));
    expect(
      (await verifySet(signed({ ...many, signatures: broken }, key), 'example', keysOf(key), now)).status,
    ).toBe('too-costly');
  });

  test('with eight other keys with one key tag is abandoned', async () => {
    const [own] = keysOf(key);
    if (own === undefined) throw new Error('no key');
    const others = Array.from({ length: 8 }, () => ({ ...own, rdata: makeKey('example').rdata }));
    const keys = [...others, own];
    expect((await verifySet(signed(set, key), 'example', keys, now)).status).toBe('too-costly');
  });

  test('costs no more than the check run may, and verifies each signature once with the same key', async () => {
    const limits = { verifications: 2, hashes: 0 };
    const verifier = createVerifier({ now: () => now }, createEffort(limits));
    const [first, second, third] = ['a', 'b', 'c'].map((label) =>
      signed({ ...set, name: `${label}.example` }, key),
    ) as [RecordSet, RecordSet, RecordSet];
    const keys = keysOf(key);
    const verdicts = [];
    for (const each of [first, first, second, third, first])
      verdicts.push((await verifier.verify(each, 'example', keys)).status);
    expect(verdicts).toEqual(['good', 'good', 'good', 'budget-spent', 'good']);
  });
});

describe('what is not usable does not count towards the limit', () => {
  const many = (changes: Parameters<typeof signed>[2], by = key): RecordSet => {
    let all: RecordSet = { ...set, ttl: 300, signatures: [] };
    for (let left = 20; left > 0; left -= 1) all = signed(all, by, changes);
    return signed(all, key);
  };
  test.each([
    ['expired', many({ expiration: seconds - 1 })],
    ['by keys that the zone does not have', many({ keyTag: key.keyTag ^ 1 })],
    ['of other zones', many({ signerName: 'other' })],
    ['with unsupported algorithms', many({ algorithm: 12 })],
    ['expanded from a wildcard above the zone', many({ labels: 0 })],
  ])('20 signatures %s', async (_, tested) => {
    expect((await verifySet(tested, 'example', keysOf(key), now)).status).toBe('good');
  });
});
