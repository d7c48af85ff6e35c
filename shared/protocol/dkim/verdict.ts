/** Converts the library's result for a signature into our verdict. */

import { excerpt } from '../findings/excerpt.ts';
import type { DkimKey } from './key.ts';
import type { Result } from './library.ts';
import { explain, type SignatureReason } from './reasons.ts';
import { type Stated, signingDomain } from './signature.ts';

/** RFC 8601 section 2.7.1. `policy`: verified, but unacceptable by current rules. `not-checked`: beyond our limits. */
export type SignatureVerdict = 'pass' | 'fail' | 'neutral' | 'policy' | 'temperror' | 'not-checked';

export interface Signature {
  readonly domain: string;
  readonly selector: string;
  /** As given in the signature, such as `rsa-sha256`. */
  readonly algorithm: string;
  /** Size of the public key in bits; null if there was no key. */
  readonly keySize: number | null;
  readonly verdict: SignatureVerdict;
  /** Why the verdict is not `pass`; null for `pass`. */
  readonly reason: SignatureReason | null;
  /** The reason as a sentence. */
  readonly explanation: string | null;
  /** The number of body octets that `l=` leaves unsigned, which anyone can append; null without `l=`. */
  readonly unsignedOctets: number | null;
  /**
   * The key is in test mode: verifiers must treat the message as unsigned, whatever the verdict (RFC 6376 section
   * 3.6.1). Not all do, so the verdict does not take this into account.
   */
  readonly testing: boolean;
  /** ISO 8601; null if the signature does not contain it. */
  readonly signedAt: string | null;
  readonly expiresAt: string | null;
  /** The signed header fields, in lowercase and in the order of the signature. */
  readonly signedFields: readonly string[];
  /** Problems that do not change the verdict, as sentences. */
  readonly warnings: readonly string[];
  /** A copy of a signature further up, with the same verdict. */
  readonly duplicate: boolean;
}

/** The verdict for one signature by itself. */
type Verdict = Omit<Signature, 'duplicate'>;

/** RFC 8301 section 3.2. */
const RECOMMENDED_RSA_BITS = 2048;
const MAX_SHOWN_FIELDS = 60;

/** The verdict for a signature beyond our limits. */
export function notChecked({ domain, selector, algorithm, signedFields }: Stated): Verdict {
  return {
    domain,
    selector,
    algorithm,
    keySize: null,
    verdict: 'not-checked',
    reason: 'limit',
    explanation: explain('limit'),
    unsignedOctets: null,
    testing: false,
    signedAt: null,
    expiresAt: null,
    signedFields: signedFields.slice(0, MAX_SHOWN_FIELDS).map((name) => excerpt(name)),
    warnings: [],
  };
}

/** The verdict for a signature, including cases that the library accepts. The first of `keys` is the one tried. */
export function judged(
  { domain, selector, algorithm, signedFields }: Stated,
  result: Result,
  keys: readonly DkimKey[],
  fromFields: number,
  now: Date,
): Verdict {
  const [key = null] = keys;
  const unsignedOctets = result.canonBodyLengthLimited
    ? Math.max(0, (result.canonBodyLengthTotal ?? 0) - (result.canonBodyLength ?? 0))
    : null;
  // The domain that we report must be the one that was verified.
  const isUnderstood = domain === signingDomain(result.signingDomain ?? '');
  const { verdict, reason }: Judgement =
    result.status.result === 'pass' && !isUnderstood
      ? { verdict: 'neutral', reason: 'syntax' }
      : verdictOf(result, key, fromFields);
  return {
    domain,
    selector,
    algorithm,
    keySize: key?.size ?? null,
    verdict,
    reason,
    explanation: reason === null ? null : explain(reason),
    unsignedOctets,
    testing: key?.t.includes('y') ?? false,
    signedAt: result.signTime ?? null,
    expiresAt: result.expiresAfter ?? null,
    signedFields: signedFields.slice(0, MAX_SHOWN_FIELDS).map((name) => excerpt(name)),
    warnings: warningsOf(result, keys, unsignedOctets, now),
  };
}

interface Judgement {
  readonly verdict: SignatureVerdict;
  readonly reason: SignatureReason | null;
}

function verdictOf(result: Result, key: DkimKey | null, fromFields: number): Judgement {
  const { result: verdict, comment = '' } = result.status;
  const limit = result.canonBodyLengthLimit;
  switch (verdict) {
    case 'pass':
      if (fromFields !== 1)
        return { verdict: 'policy', reason: fromFields === 0 ? 'no-from' : 'several-from' };
      if (typeof limit === 'number' && limit > (result.canonBodyLengthTotal ?? 0)) {
        return { verdict: 'fail', reason: 'body-length' };
      }
      return { verdict: 'pass', reason: null };
    case 'fail':
      return { verdict, reason: comment.startsWith('body hash') ? 'body-hash' : 'header-hash' };
    case 'policy':
      return { verdict, reason: /algorithm/.test(policyOf(result)) ? 'weak-algorithm' : 'weak-key' };
    case 'temperror':
      return { verdict, reason: 'dns' };
    default:
      return {
        verdict: 'neutral',
        reason: key?.p === '' ? 'revoked-key' : (commentReasons[comment] ?? 'syntax'),
      };
  }
}

function policyOf({ status }: Result): string {
  return Object.values((status as { policy?: Record<string, string> }).policy ?? {}).join(' ');
}

/**
 * The comments of the library on signatures that it could not use. A test holds them against its source. Others are
 * messages of the cryptography, about a malformed signature.
 */
export const commentReasons: Readonly<Record<string, SignatureReason>> = {
  'no key': 'no-key',
  'unknown key version': 'unusable-key',
  'unknown key type': 'unusable-key',
  'invalid public key': 'unusable-key',
  'inappropriate hash algorithm': 'key-forbids',
  'inappropriate key algorithm': 'key-forbids',
  'key not for email': 'key-forbids',
  'domain mismatch': 'identity',
  'unknown algorithm': 'unknown-algorithm',
  'From field not signed': 'from-not-signed',
  expired: 'expired',
  'invalid expiration': 'expired',
  'unknown canonicalization': 'unknown-algorithm',
  'signature missing required tag': 'syntax',
  'signature syntax error': 'syntax',
  'incompatible version': 'syntax',
  'unsupported query method': 'syntax',
};

function warningsOf(
  result: Result,
  keys: readonly DkimKey[],
  unsignedOctets: number | null,
  now: Date,
): string[] {
  const [key = null] = keys;
  const small = key?.k === 'rsa' && key.size !== null && key.size < RECOMMENDED_RSA_BITS;
  return [
    ...(unsignedOctets === null
      ? []
      : [
          'The signature has a body length limit (l=), so anyone can append text to the body without breaking the signature.',
        ]),
    ...(keys.length > 1
      ? [`The selector has ${keys.length} keys, but only one is allowed; receivers may use any of them.`]
      : []),
    ...(key?.t.includes('y')
      ? ['The key is in test mode (t=y): receivers must treat the message as unsigned, but not all do.']
      : []),
    ...(small
      ? [`The key has ${key.size} bits; at least ${RECOMMENDED_RSA_BITS} bits are recommended.`]
      : []),
    ...(result.signTime != null && new Date(result.signTime) > now
      ? ['The signature timestamp is in the future: the clock of the signing host is wrong.']
      : []),
  ];
}
