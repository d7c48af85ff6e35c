import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { parseDkimKey, resemblesDkimKey } from '../../../../shared/protocol/dkim/key.ts';
import { mutations } from '../mutations.ts';

function rsa(modulusLength: number, type: 'spki' | 'pkcs1' = 'spki'): string {
  return generateKeyPairSync('rsa', { modulusLength })
    .publicKey.export({ type, format: 'der' })
    .toString('base64');
}

const RSA_2048 = rsa(2048);
const ED25519_SPKI = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' });
const ED25519 = ED25519_SPKI.subarray(-32).toString('base64');

function findingsOf(text: string): string[] {
  return parseDkimKey(text, 'sel').findings.map(({ id }) => id);
}

describe('a key record (RFC 6376 section 3.6.1)', () => {
  test('is read tag by tag', () => {
    const text = `v = DKIM1 ;\th\t=\tsha1 : SHA256;k=rsa; n = a note; s = email : tlsrpt; t = y\t: s; x=y; p = ${RSA_2048}`;
    expect(parseDkimKey(text, 'sel').key).toMatchObject({
      v: 'DKIM1',
      k: 'rsa',
      p: RSA_2048,
      size: 2048,
      h: ['sha1', 'sha256'],
      s: ['email', 'tlsrpt'],
      t: ['y', 's'],
      n: 'a note',
    });
  });

  test('has defaults for missing tags', () => {
    expect(parseDkimKey(`p=${RSA_2048}`, 'sel').key).toMatchObject({
      v: null,
      k: 'rsa',
      size: 2048,
      h: null,
      s: ['*'],
      t: [],
      n: null,
    });
  });

  test('names the selector in its findings', () => {
    expect(parseDkimKey('v=DKIM1; p=', 'sel').findings).toMatchObject([
      { subject: 'sel', severity: 'notice' },
    ]);
  });
});

describe('the size of a key', () => {
  test.each([
    ['for an RSA key in SubjectPublicKeyInfo', `p=${rsa(1536)}`, 1536],
    ['for an RSA key in PKCS #1', `p=${rsa(1024, 'pkcs1')}`, 1024],
    ['for a key that contains white space', `p=${RSA_2048.replace(/(.{60})/g, '$1 \r\n\t')}`, 2048],
    ['for a key without padding', `k=ed25519; p=${ED25519.replace('=', '')}`, 256],
    ['for an Ed25519 key (RFC 8463 section 4.2)', `k=ed25519; p=${ED25519}`, 256],
    ['not for a revoked key', 'p=', null],
    ['not for a key of an unknown type', `k=dsa; p=${RSA_2048}`, null],
  ])('is known %s', (_, text, size) => {
    expect(parseDkimKey(`v=DKIM1; ${text}`, 'sel').key.size).toBe(size);
  });
});

describe('the findings of a key record', () => {
  test.each([
    ['nothing for a correct record', `v=DKIM1; k=rsa; p=${RSA_2048}`, []],
    ['nothing for words in upper case', `v=DKIM1; k=RSA; h=SHA256; s=Email; p=${RSA_2048}`, []],
    ['nothing for unknown hashes and flags', `v=DKIM1; h=sha256:sha3; t=s:z; p=${RSA_2048}`, []],
    ['nothing for unknown tags', `v=DKIM1; g=*; p=${RSA_2048}`, []],
    ['a missing version', `p=${RSA_2048}`, ['dkim-missing-version']],
    ['another version', `v=DKIM3; p=${RSA_2048}`, ['dkim-invalid-version']],
    ['the next version', `v=DKIM2; k=something; p=${RSA_2048}`, ['dkim-next-version']],
    ['a key of ML-DSA', 'v=DKIM1; k=ML-DSA-44; p=AAAA', ['dkim-next-key-type']],
    ['the version in lower case', `v=dkim1; p=${RSA_2048}`, ['dkim-invalid-version']],
    ['escaped semicolons from the zone file', `v=DKIM1\\; p=${RSA_2048}`, ['dkim-invalid-version']],
    ['a version that is not first', `p=${RSA_2048}; v=DKIM1`, ['dkim-version-not-first']],
    ['an unknown key type', `v=DKIM1; k=dsa; p=${RSA_2048}`, ['dkim-unknown-key-type']],
    ['a missing key', 'v=DKIM1', ['dkim-missing-key']],
    ['a revoked key', 'v=DKIM1; p=', ['dkim-revoked']],
    ['a key that is not base64', 'v=DKIM1; p=MIGf*', ['dkim-malformed-base64']],
    ['a quoted key', `v=DKIM1; p="${RSA_2048}"`, ['dkim-malformed-base64']],
    ['base64 of an impossible length', 'v=DKIM1; p=AAAAA', ['dkim-malformed-base64']],
    ['a truncated key', `v=DKIM1; p=${RSA_2048.slice(0, 200)}`, ['dkim-malformed-key']],
    ['an Ed25519 key of another length', 'v=DKIM1; k=ed25519; p=AAAA', ['dkim-malformed-key']],
    [
      'an Ed25519 key wrapped in SubjectPublicKeyInfo',
      `v=DKIM1; k=ed25519; p=${ED25519_SPKI.toString('base64')}`,
      ['dkim-malformed-key'],
    ],
    ['an Ed25519 key declared as rsa', `v=DKIM1; p=${ED25519}`, ['dkim-malformed-key']],
    [
      'a wrapped Ed25519 key declared as rsa',
      `v=DKIM1; p=${ED25519_SPKI.toString('base64')}`,
      ['dkim-malformed-key'],
    ],
    ['an RSA key under 1024 bits (RFC 8301)', `v=DKIM1; p=${rsa(1016)}`, ['dkim-key-too-short']],
    ['an RSA key of 1024 bits', `v=DKIM1; p=${rsa(1024)}`, ['dkim-key-short']],
    ['an RSA key of 2040 bits', `v=DKIM1; p=${rsa(2040)}`, ['dkim-key-short']],
    ['sha1 as the only hash (RFC 8301)', `v=DKIM1; h=sha1; p=${RSA_2048}`, ['dkim-no-usable-hash']],
    ['an empty hash list', `v=DKIM1; h=; p=${RSA_2048}`, ['dkim-no-usable-hash']],
    ['another service type', `v=DKIM1; s=tlsrpt; p=${RSA_2048}`, ['dkim-not-for-email']],
    ['test mode', `v=DKIM1; t=y; p=${RSA_2048}`, ['dkim-testing']],
    ['a duplicate tag', `v=DKIM1; p=${RSA_2048}; p=`, ['dkim-duplicate-tags']],
    ['a tag without =', `v=DKIM1; rsa; p=${RSA_2048}`, ['dkim-malformed-tags']],
    ['a surplus semicolon', `v=DKIM1;; p=${RSA_2048}`, ['dkim-empty-tags']],
  ])('report %s', (_, text, ids) => {
    expect(findingsOf(text)).toEqual(ids);
  });

  test('report an RSA key over 4096 bits', () => {
    // Measuring a modulus of 5120 bits does not need primes.
    const modulus = Buffer.concat([Buffer.from([0]), Buffer.alloc(640, 0xff)]);
    const integer = (octets: Buffer) =>
      Buffer.concat([Buffer.from([2, 0x82, octets.length >> 8, octets.length & 255]), octets]);
    const body = Buffer.concat([integer(modulus), Buffer.from([2, 3, 1, 0, 1])]);
    const der = Buffer.concat([Buffer.from([0x30, 0x82, body.length >> 8, body.length & 255]), body]);
    expect(findingsOf(`v=DKIM1; p=${der.toString('base64')}`)).toEqual(['dkim-key-long']);
  });
});

describe('a TXT record at the name of a selector', () => {
  test.each([
    ['with a DKIM version is intended as a key', 'v=DKIM1; p=', true],
    ['with a broken DKIM version is intended as a key', 'v=DKIM1\\; k=rsa\\; p=x', true],
    ['with a p tag and no version is intended as a key', 'k=rsa; p=x', true],
    ['of SPF is not a key', 'v=spf1 -all', false],
    ['of DMARC, which has a p tag too, is not a key', 'v=DMARC1; p=reject', false],
    ['with other text is not a key', 'hello', false],
  ])('%s', (_, text, expected) => {
    expect(resemblesDkimKey(text)).toBe(expected);
  });
});

test('any text parses without an exception, with a size only for a key', () => {
  const seeds = [
    `v=DKIM1; k=rsa; h=sha1:sha256; s=*; t=y:s; n=x; p=${RSA_2048}`,
    `k=ed25519; p=${ED25519}`,
    'v=DKIM1;;p=',
  ];
  for (const text of mutations(seeds, 3000)) {
    const { key } = parseDkimKey(text, 'sel');
    if (key.p === null || key.k === null) expect(key.size).toBeNull();
  }
});

test.each([
  ['key', 'A'],
  ['white space', ' '],
  ['padding', '='],
  ['hash names', ':'],
  ['tags', 'x;'],
])('parses 64 KB of %s in less than half a second, with short findings', (_, unit) => {
  const many = unit.repeat(65536 / unit.length);
  const start = performance.now();
  const { findings } = parseDkimKey(`v=DKIM1; h=sha1${many}; p=A${many}x`, 'sel');
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(JSON.stringify(findings).length).toBeLessThan(4000);
});
