import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { parseDkimKey, printDkimKey, resemblesDkimKey } from '../../../../shared/protocol/dkim/key.ts';
import { mutations } from '../mutations.ts';

function rsa(modulusLength: number, type: 'spki' | 'pkcs1' = 'spki'): string {
  return generateKeyPairSync('rsa', { modulusLength })
    .publicKey.export({ type, format: 'der' })
    .toString('base64');
}

const RSA_2048 = rsa(2048);
const ED25519_SPKI = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' });
const ED25519 = ED25519_SPKI.subarray(-32).toString('base64');

function told(text: string): string[] {
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

  test('has defaults for what it does not say', () => {
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
    ['of an RSA key in SubjectPublicKeyInfo', `p=${rsa(1536)}`, 1536],
    ['of an RSA key in PKCS #1', `p=${rsa(1024, 'pkcs1')}`, 1024],
    ['of a key with white space in it', `p=${RSA_2048.replace(/(.{60})/g, '$1 \r\n\t')}`, 2048],
    ['of a key without padding', `k=ed25519; p=${ED25519.replace('=', '')}`, 256],
    ['of an Ed25519 key (RFC 8463 section 4.2)', `k=ed25519; p=${ED25519}`, 256],
    ['is not known of a revoked key', 'p=', null],
    ['is not known of a key of unknown type', `k=dsa; p=${RSA_2048}`, null],
  ])('%s', (_, text, size) => {
    expect(parseDkimKey(`v=DKIM1; ${text}`, 'sel').key.size).toBe(size);
  });
});

describe('each departure is told', () => {
  test.each([
    ['nothing, when all is in order', `v=DKIM1; k=rsa; p=${RSA_2048}`, []],
    ['nothing about words in upper case', `v=DKIM1; k=RSA; h=SHA256; s=Email; p=${RSA_2048}`, []],
    ['nothing about hashes and flags that are not known', `v=DKIM1; h=sha256:sha3; t=s:z; p=${RSA_2048}`, []],
    ['nothing about tags that are not known', `v=DKIM1; g=*; p=${RSA_2048}`, []],
    ['no version', `p=${RSA_2048}`, ['dkim-missing-version']],
    ['another version', `v=DKIM2; p=${RSA_2048}`, ['dkim-invalid-version']],
    ['the version in lower case', `v=dkim1; p=${RSA_2048}`, ['dkim-invalid-version']],
    ['semicolons escaped in the zone file', `v=DKIM1\\; p=${RSA_2048}`, ['dkim-invalid-version']],
    ['the version further back', `p=${RSA_2048}; v=DKIM1`, ['dkim-version-not-first']],
    ['a type nobody knows', `v=DKIM1; k=dsa; p=${RSA_2048}`, ['dkim-unknown-key-type']],
    ['no key', 'v=DKIM1', ['dkim-missing-key']],
    ['a revoked key', 'v=DKIM1; p=', ['dkim-revoked']],
    ['a key that is not base64', 'v=DKIM1; p=MIGf*', ['dkim-malformed-base64']],
    ['a key in quotes', `v=DKIM1; p="${RSA_2048}"`, ['dkim-malformed-base64']],
    ['base64 of impossible length', 'v=DKIM1; p=AAAAA', ['dkim-malformed-base64']],
    ['a key that was cut off', `v=DKIM1; p=${RSA_2048.slice(0, 200)}`, ['dkim-malformed-key']],
    ['an Ed25519 key of another length', 'v=DKIM1; k=ed25519; p=AAAA', ['dkim-malformed-key']],
    [
      'an Ed25519 key wrapped in SubjectPublicKeyInfo',
      `v=DKIM1; k=ed25519; p=${ED25519_SPKI.toString('base64')}`,
      ['dkim-malformed-key'],
    ],
    ['an Ed25519 key that says rsa', `v=DKIM1; p=${ED25519}`, ['dkim-malformed-key']],
    [
      'a wrapped Ed25519 key that says rsa',
      `v=DKIM1; p=${ED25519_SPKI.toString('base64')}`,
      ['dkim-malformed-key'],
    ],
    ['an RSA key under 1024 bits (RFC 8301)', `v=DKIM1; p=${rsa(1016)}`, ['dkim-key-too-short']],
    ['an RSA key of 1024 bits', `v=DKIM1; p=${rsa(1024)}`, ['dkim-key-short']],
    ['an RSA key of 2040 bits', `v=DKIM1; p=${rsa(2040)}`, ['dkim-key-short']],
    ['only sha1 (RFC 8301)', `v=DKIM1; h=sha1; p=${RSA_2048}`, ['dkim-no-usable-hash']],
    ['no hash', `v=DKIM1; h=; p=${RSA_2048}`, ['dkim-no-usable-hash']],
    ['another service', `v=DKIM1; s=tlsrpt; p=${RSA_2048}`, ['dkim-not-for-email']],
    ['a test', `v=DKIM1; t=y; p=${RSA_2048}`, ['dkim-testing']],
    ['a tag twice', `v=DKIM1; p=${RSA_2048}; p=`, ['dkim-duplicate-tags']],
    ['a tag without =', `v=DKIM1; rsa; p=${RSA_2048}`, ['dkim-malformed-tags']],
    ['a surplus semicolon', `v=DKIM1;; p=${RSA_2048}`, ['dkim-empty-tags']],
  ])('%s', (_, text, ids) => {
    expect(told(text)).toEqual(ids);
  });

  test('an RSA key over 4096 bits', () => {
    // A modulus of 5120 bits needs no primes to be measured.
    const modulus = Buffer.concat([Buffer.from([0]), Buffer.alloc(640, 0xff)]);
    const integer = (octets: Buffer) =>
      Buffer.concat([Buffer.from([2, 0x82, octets.length >> 8, octets.length & 255]), octets]);
    const body = Buffer.concat([integer(modulus), Buffer.from([2, 3, 1, 0, 1])]);
    const der = Buffer.concat([Buffer.from([0x30, 0x82, body.length >> 8, body.length & 255]), body]);
    expect(told(`v=DKIM1; p=${der.toString('base64')}`)).toEqual(['dkim-key-long']);
  });
});

describe('a TXT record at the name of a selector', () => {
  test.each([
    ['with a DKIM version is meant as a key', 'v=DKIM1; p=', true],
    ['with a broken DKIM version is meant as a key', 'v=DKIM1\\; k=rsa\\; p=x', true],
    ['with a p tag and no version is meant as a key', 'k=rsa; p=x', true],
    ['of SPF is not', 'v=spf1 -all', false],
    ['of DMARC, which has a p tag too, is not', 'v=DMARC1; p=reject', false],
    ['that says anything else is not', 'hello', false],
  ])('%s', (_, text, expected) => {
    expect(resemblesDkimKey(text)).toBe(expected);
  });
});

test('any text is read without an exception and prints as a record that reads back the same', () => {
  const seeds = [
    `v=DKIM1; k=rsa; h=sha1:sha256; s=*; t=y:s; n=x; p=${RSA_2048}`,
    `k=ed25519; p=${ED25519}`,
    'v=DKIM1;;p=',
  ];
  for (const text of mutations(seeds, 3000)) {
    const { key } = parseDkimKey(text, 'sel');
    expect(parseDkimKey(printDkimKey(key), 'sel').key).toEqual(key);
  }
});

test.each([
  ['key', 'A'],
  ['white space', ' '],
  ['padding', '='],
  ['hash names', ':'],
  ['tags', 'x;'],
])('64 KB of %s are read in less than half a second, with short findings', (_, unit) => {
  const many = unit.repeat(65536 / unit.length);
  const start = performance.now();
  const { findings } = parseDkimKey(`v=DKIM1; h=sha1${many}; p=A${many}x`, 'sel');
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(JSON.stringify(findings).length).toBeLessThan(4000);
});
