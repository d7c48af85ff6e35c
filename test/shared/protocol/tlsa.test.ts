import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { isUsableTlsa, matchesTlsa } from '../../../shared/protocol/tlsa.ts';
import { createAuthority, expired, selfSigned } from '../../kit/certificates.ts';

const authority = createAuthority();
const leaf = authority.issue(['mx.example.org']);
const impostor = createAuthority();
const now = new Date();
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest();
const sha512 = (data: Uint8Array) => createHash('sha512').update(data).digest();
const spki = (der: Buffer) => new X509Certificate(der).publicKey.export({ type: 'spki', format: 'der' });
const tlsa = (usage: number, selector: number, matchingType: number, certificate: Uint8Array) => ({
  usage,
  selector,
  matchingType,
  certificate,
});

describe('records that SMTP can use (RFC 7672 section 3.1)', () => {
  test.each([
    ['3 1 1', tlsa(3, 1, 1, Buffer.alloc(32)), true],
    ['3 0 2', tlsa(3, 0, 2, Buffer.alloc(64)), true],
    ['2 0 1', tlsa(2, 0, 1, Buffer.alloc(32)), true],
    ['3 1 0', tlsa(3, 1, 0, Buffer.alloc(91)), true],
    ['usage 0', tlsa(0, 1, 1, Buffer.alloc(32)), false],
    ['usage 1', tlsa(1, 1, 1, Buffer.alloc(32)), false],
    ['an unknown usage', tlsa(4, 1, 1, Buffer.alloc(32)), false],
    ['an unknown selector', tlsa(3, 2, 1, Buffer.alloc(32)), false],
    ['an unknown matching type', tlsa(3, 1, 3, Buffer.alloc(32)), false],
    ['a digest that is too short', tlsa(3, 1, 1, Buffer.alloc(31)), false],
    ['a digest of the other length', tlsa(3, 1, 2, Buffer.alloc(32)), false],
    ['no data', tlsa(3, 1, 0, Buffer.alloc(0)), false],
  ])('%s', (_title, record, usable) => {
    expect(isUsableTlsa(record)).toBe(usable);
  });
});

describe('the match', () => {
  const chain = [leaf.der, authority.der];
  const late = authority.issue(['mx.example.org'], expired);
  const other = authority.issue(['other.example']);
  test.each([
    ['the key of the leaf', tlsa(3, 1, 1, leaf.spkiSha256), chain, true],
    ['the key of the leaf by SHA-512', tlsa(3, 1, 2, sha512(spki(leaf.der))), chain, true],
    ['the key of the leaf itself', tlsa(3, 1, 0, spki(leaf.der)), chain, true],
    ['the leaf', tlsa(3, 0, 1, sha256(leaf.der)), chain, true],
    ['the leaf itself', tlsa(3, 0, 0, leaf.der), chain, true],
    ['the leaf, although it has expired', tlsa(3, 1, 1, late.spkiSha256), [late.der], true],
    ['the leaf, although its name differs', tlsa(3, 1, 1, other.spkiSha256), [other.der], true],
    ['another key', tlsa(3, 1, 1, impostor.spkiSha256), chain, false],
    ['the issuer, as usage 3', tlsa(3, 1, 1, authority.spkiSha256), chain, false],
    ['the issuer', tlsa(2, 1, 1, authority.spkiSha256), chain, true],
    ['the issuer as a whole', tlsa(2, 0, 1, sha256(authority.der)), chain, true],
    ['the issuer, which was not sent', tlsa(2, 1, 1, authority.spkiSha256), [leaf.der], false],
    ['the issuer of an expired leaf', tlsa(2, 1, 1, authority.spkiSha256), [late.der, authority.der], false],
    [
      'the issuer of a leaf with another name',
      tlsa(2, 1, 1, authority.spkiSha256),
      [other.der, authority.der],
      false,
    ],
    [
      'an issuer of the same name that did not sign',
      tlsa(2, 1, 1, impostor.spkiSha256),
      [leaf.der, impostor.der],
      false,
    ],
    [
      'the issuer after an unrelated certificate',
      tlsa(2, 1, 1, authority.spkiSha256),
      [selfSigned(['mx.example.org']).der, authority.der],
      false,
    ],
    ['the leaf, as usage 2', tlsa(2, 1, 1, leaf.spkiSha256), chain, false],
    ['the leaf, as usage 1', tlsa(1, 1, 1, leaf.spkiSha256), chain, false],
    ['no chain', tlsa(3, 1, 1, leaf.spkiSha256), [], false],
    ['an unreadable chain', tlsa(3, 1, 1, leaf.spkiSha256), [Buffer.from('nonsense')], false],
    [
      'the leaf before an unreadable certificate',
      tlsa(3, 1, 1, leaf.spkiSha256),
      [leaf.der, Buffer.from('nonsense')],
      true,
    ],
  ])('with %s', (_title, record, shown, matches) => {
    expect(matchesTlsa(record, shown, ['mx.example.org', 'example.org'], now)).toBe(matches);
  });

  test('with usage 2 accepts a leaf with the name of the domain', () => {
    const certificate = authority.issue(['example.org']);
    const record = tlsa(2, 1, 1, authority.spkiSha256);
    expect(
      matchesTlsa(record, [certificate.der, authority.der], ['mx.example.org', 'example.org'], now),
    ).toBe(true);
  });
});
