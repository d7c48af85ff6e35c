/** Why a signature does not count, as sentences. */

const sentences = {
  'body-hash':
    'The body was changed after signing: its hash does not match the signature (RFC 6376 section 6.1.3).',
  'body-length': 'The body is shorter than the l= length of the signature (RFC 6376 section 3.5).',
  'header-hash':
    'A signed header field was changed after signing, or the published key is not the signing key (RFC 6376 section 6.1.3).',
  'no-key': 'There is no key at the selector (RFC 6376 section 6.1.2).',
  'revoked-key': 'The key is revoked: its record has an empty p tag (RFC 6376 section 6.1.2).',
  'unusable-key': 'The record of the selector contains no valid key (RFC 6376 section 6.1.2).',
  'key-forbids':
    'The key record does not allow the hash, the algorithm or the service of this signature (RFC 6376 section 6.1.2).',
  'weak-key': 'The RSA key is shorter than 1024 bits (RFC 8301 section 3.2).',
  'weak-algorithm': 'The signature uses SHA-1, which must not be accepted (RFC 8301 section 3.1).',
  'unknown-algorithm':
    'The algorithm or canonicalization of the signature is unknown (RFC 6376 section 6.1.1).',
  identity: 'The identity (i=) does not belong to the signing domain (RFC 6376 section 6.1.1).',
  'from-not-signed': 'The From field is not signed (RFC 6376 section 6.1.1).',
  'no-from': 'The message has no From field, so there is no signed author (RFC 5322 section 3.6).',
  'several-from':
    'The message has more than one From field, so it is unclear which author was signed (RFC 5322 section 3.6).',
  expired: 'The signature has expired (RFC 6376 section 3.5).',
  syntax: 'The signature is not well-formed (RFC 6376 section 6.1.1).',
  dns: 'The DNS lookup for the key failed, which may be temporary.',
  limit:
    'The signature was not checked: the message has more or larger signatures, or a larger body, than this test supports.',
} as const;

export type SignatureReason = keyof typeof sentences;

export const signatureReasons = Object.keys(sentences) as readonly SignatureReason[];

export function explain(reason: SignatureReason): string {
  return sentences[reason];
}
