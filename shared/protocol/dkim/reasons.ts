/** Why a signature does not count, in words. */

const sentences = {
  'body-hash':
    'The body was changed after signing: its hash is not the one that was signed (RFC 6376 section 6.1.3).',
  'body-length': 'The signature covers more of the body than there is (RFC 6376 section 3.5).',
  'header-hash':
    'A signed header field was changed after signing, or the published key is not the one that signed (RFC 6376 section 6.1.3).',
  'no-key': 'There is no key at the name of the selector (RFC 6376 section 6.1.2).',
  'revoked-key': 'The key has been revoked: its record has an empty p= (RFC 6376 section 6.1.2).',
  'unusable-key': 'The record of the selector holds no key that can be read (RFC 6376 section 6.1.2).',
  'key-forbids':
    'The key is not meant for this: its record allows another hash, algorithm or service (RFC 6376 section 6.1.2).',
  'weak-key': 'The RSA key is shorter than 1024 bits (RFC 8301 section 3.2).',
  'weak-algorithm': 'The signature uses SHA-1, which must not be accepted (RFC 8301 section 3.1).',
  'unknown-algorithm':
    'The algorithm or canonicalization of the signature is not known (RFC 6376 section 6.1.1).',
  identity: 'The identity (i=) does not belong to the signing domain (RFC 6376 section 6.1.1).',
  'from-not-signed': 'The From field is not among the signed fields (RFC 6376 section 6.1.1).',
  'no-from': 'The message has no From field, so there is no author who was signed (RFC 5322 section 3.6).',
  'several-from':
    'The message has more than one From field, so it cannot be told which author was signed (RFC 5322 section 3.6).',
  expired: 'The signature has expired (RFC 6376 section 3.5).',
  syntax: 'The signature is not well-formed (RFC 6376 section 6.1.1).',
  dns: 'The DNS did not answer for the key, which may pass in a minute.',
  limit:
    'It was not checked: the message has more or larger signatures, or a larger body, than this test looks at.',
} as const;

export type SignatureReason = keyof typeof sentences;

export const signatureReasons = Object.keys(sentences) as readonly SignatureReason[];

export function explain(reason: SignatureReason): string {
  return sentences[reason];
}
