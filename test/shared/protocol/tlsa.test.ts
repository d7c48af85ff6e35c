import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { isNamed, matchesLeaf, trustAnchors, usableTlsa } from '../../../shared/protocol/tlsa.ts';
import { createAuthority, selfSigned } from '../../kit/certificates.ts';

const authority = createAuthority();
const leaf = authority.issue(['mx.example.org']);
const impostor = createAuthority();
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
    ['3 1 0', tlsa(3, 1, 0, spki(leaf.der)), true],
    ['2 0 0', tlsa(2, 0, 0, authority.der), true],
    ['a key that is none', tlsa(3, 1, 0, Buffer.alloc(91)), false],
    ['a certificate that is none', tlsa(2, 0, 0, spki(leaf.der)), false],
    ['a certificate with more behind it', tlsa(2, 0, 0, Buffer.concat([authority.der, Buffer.of(0)])), false],
    ['usage 0', tlsa(0, 1, 1, Buffer.alloc(32)), false],
    ['usage 1', tlsa(1, 1, 1, Buffer.alloc(32)), false],
    ['an unknown usage', tlsa(4, 1, 1, Buffer.alloc(32)), false],
    ['an unknown selector', tlsa(3, 2, 1, Buffer.alloc(32)), false],
    ['an unknown matching type', tlsa(3, 1, 3, Buffer.alloc(32)), false],
    ['a digest that is too short', tlsa(3, 1, 1, Buffer.alloc(31)), false],
    ['a digest of the other length', tlsa(3, 1, 2, Buffer.alloc(32)), false],
    ['no data', tlsa(3, 1, 0, Buffer.alloc(0)), false],
  ])('%s', (_title, record, usable) => {
    expect(usableTlsa([record])).toEqual(usable ? [record] : []);
  });

  test('are those with the strongest digest of a usage and selector (RFC 7671 section 9)', () => {
    const weak = tlsa(3, 1, 1, Buffer.alloc(32));
    const strong = tlsa(3, 1, 2, Buffer.alloc(64));
    const others = [tlsa(3, 0, 1, Buffer.alloc(32)), tlsa(2, 1, 1, Buffer.alloc(32))];
    expect(usableTlsa([weak, strong, ...others])).toEqual([strong, ...others]);
    const unusable = tlsa(3, 1, 2, Buffer.alloc(32));
    expect(usableTlsa([weak, unusable])).toEqual([weak]);
  });

  test('are among the first 32', () => {
    const records = Array.from({ length: 33 }, (_, n) => tlsa(3, 1, 1, Buffer.alloc(32, n)));
    expect(usableTlsa(records)).toEqual(records.slice(0, 32));
  });
});

describe('a record of usage 3 matches', () => {
  const chain = [leaf.der, authority.der];
  test.each([
    ['the key of the leaf', tlsa(3, 1, 1, leaf.spkiSha256), chain, true],
    ['the key of the leaf by SHA-512', tlsa(3, 1, 2, sha512(spki(leaf.der))), chain, true],
    ['the key of the leaf itself', tlsa(3, 1, 0, spki(leaf.der)), chain, true],
    ['the leaf', tlsa(3, 0, 1, sha256(leaf.der)), chain, true],
    ['the leaf itself', tlsa(3, 0, 0, leaf.der), chain, true],
    ['not another key', tlsa(3, 1, 1, impostor.spkiSha256), chain, false],
    ['not the issuer', tlsa(3, 1, 1, authority.spkiSha256), chain, false],
    ['no chain', tlsa(3, 1, 1, leaf.spkiSha256), [], false],
    ['no unreadable chain', tlsa(3, 1, 1, leaf.spkiSha256), [Buffer.from('nonsense')], false],
    [
      'the leaf before an unreadable certificate',
      tlsa(3, 1, 1, leaf.spkiSha256),
      [leaf.der, Buffer.from('nonsense')],
      true,
    ],
    ['only as usage 3', tlsa(2, 1, 1, leaf.spkiSha256), chain, false],
  ])('%s', (_title, record, shown, matches) => {
    expect(matchesLeaf([record], shown)).toBe(matches);
  });
});

describe('a record of usage 2 anchors a chain at', () => {
  const chain = [leaf.der, authority.der];
  const extra = selfSigned(['mx.example.org']);
  test.each([
    ['an issuer that was sent', tlsa(2, 1, 1, authority.spkiSha256), chain, [authority.der]],
    ['an issuer as a whole', tlsa(2, 0, 1, sha256(authority.der)), chain, [authority.der]],
    ['any issuer that was sent', tlsa(2, 1, 1, extra.spkiSha256), [...chain, extra.der], [extra.der]],
    ['no issuer that was not sent', tlsa(2, 1, 1, authority.spkiSha256), [leaf.der], []],
    [
      'the issuer in the record, which was not sent',
      tlsa(2, 0, 0, authority.der),
      [leaf.der],
      [authority.der],
    ],
    ['what the key in the record signed', tlsa(2, 1, 0, spki(authority.der)), [leaf.der], [leaf.der]],
    ['nothing that another key signed', tlsa(2, 1, 0, spki(impostor.der)), chain, []],
    ['not at the leaf', tlsa(2, 1, 1, leaf.spkiSha256), chain, []],
    ['not at the leaf as a whole', tlsa(2, 0, 0, leaf.der), chain, []],
    ['nothing as usage 3', tlsa(3, 1, 1, authority.spkiSha256), chain, []],
    ['nothing in an unreadable chain', tlsa(2, 0, 0, authority.der), [Buffer.from('nonsense')], []],
  ])('%s', (_title, record, shown, anchors) => {
    expect(trustAnchors([record], shown)).toEqual(anchors);
  });

  test('each only once, and tries few signatures', () => {
    const key = tlsa(2, 1, 0, spki(authority.der));
    expect(trustAnchors([tlsa(2, 0, 0, authority.der), key, key], chain)).toEqual([authority.der, leaf.der]);
    const wrong = Array.from({ length: 8 }, () => tlsa(2, 1, 0, spki(impostor.der)));
    expect(trustAnchors([...wrong, key], [leaf.der])).toEqual([]);
  });
});

test.each([
  ['the host', ['mx.example.org'], true],
  ['the domain', ['example.org'], true],
  ['a whole label of a wildcard', ['*.example.org'], true],
  ['no part of a label', ['m*.example.org'], false],
  ['no other name', ['mx.example.net'], false],
])('a certificate can name %s', (_title, names, named) => {
  expect(isNamed([authority.issue(names).der], ['mx.example.org', 'example.org'])).toBe(named);
});
