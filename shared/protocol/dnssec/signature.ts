/** Verifies the signatures of one record set with the keys of the signing zone (RFC 4035 section 5.3). */
import { verify } from 'node:crypto';
import type { RecordSet, RrsigRecord } from '../dns.ts';
import { signedOctets } from './canonical.ts';
import { isSupportedAlgorithm, publicKeyOf, usesSha1, type ZoneKey } from './dnskey.ts';

/** Why one signature is not valid. */
export type SignatureProblem =
  | 'expired'
  | 'not-yet-valid'
  /** No key of the zone has this tag and algorithm. */
  | 'no-key'
  | 'unsupported-algorithm'
  | 'invalid';

export interface FailedSignature {
  readonly problem: SignatureProblem;
  readonly signature: RrsigRecord;
}

export type SetVerdict =
  | { readonly status: 'good'; readonly signature: RrsigRecord }
  /** The record set has no signature of this zone. */
  | { readonly status: 'unsigned' }
  | {
      readonly status: 'bad';
      /** One per signature tried, never empty. */
      readonly problems: readonly FailedSignature[];
    }
  /** More signatures or colliding key tags than any zone needs: validation stops, as in resolvers. */
  | { readonly status: 'too-costly' };

/**
 * Limits against zones designed to overload validators (KeyTrap, CVE-2023-50387): signatures per record set, and public
 * key operations per record set. Legitimate zones need one of each, or two or three during a key rollover.
 */
const MAX_SIGNATURES = 8;
const MAX_VERIFICATIONS = 8;

const hashes: Readonly<Record<number, string | null>> = {
  5: 'sha1',
  7: 'sha1',
  8: 'sha256',
  10: 'sha512',
  13: 'sha256',
  14: 'sha384',
  15: null,
  16: null,
};

/**
 * Finds a signature of `set` by `signer` that is valid at `now`. SHA-1 counts only if a key uses it. The signature of a
 * wildcard is valid for the names expanded from it; the proof that no closer name exists (RFC 4035 section 5.3.4) is left
 * to the resolver.
 */
export function verifySet(set: RecordSet, signer: string, keys: readonly ZoneKey[], now: Date): SetVerdict {
  const own = set.signatures.filter((it) => it.signerName === signer && it.typeCovered === set.type);
  if (own.length === 0) return { status: 'unsigned' };
  if (own.length > MAX_SIGNATURES) return { status: 'too-costly' };
  const problems: FailedSignature[] = [];
  let verifications = 0;
  for (const signature of own) {
    const timely = timeProblem(signature, now);
    const candidates = keys.filter(
      (key) => key.keyTag === signature.keyTag && key.algorithm === signature.algorithm,
    );
    if (timely !== undefined) problems.push({ problem: timely, signature });
    else if (!isSupportedAlgorithm(signature.algorithm) || (usesSha1(signature) && !keys.some(usesSha1))) {
      problems.push({ problem: 'unsupported-algorithm', signature });
    } else if (candidates.length === 0) problems.push({ problem: 'no-key', signature });
    else {
      verifications += candidates.length;
      if (verifications > MAX_VERIFICATIONS) return { status: 'too-costly' };
      if (candidates.some((key) => verifySignature(set, signature, key)))
        return { status: 'good', signature };
      problems.push({ problem: 'invalid', signature });
    }
  }
  return { status: 'bad', problems };
}

/** Whether `signature` of `set` was made with `key`. Does not check dates or names. */
function verifySignature(set: RecordSet, signature: RrsigRecord, key: ZoneKey): boolean {
  const hash = hashes[signature.algorithm];
  const publicKey = publicKeyOf(key);
  const octets = signedOctets(set, signature);
  if (hash === undefined || publicKey === undefined || octets === undefined) return false;
  try {
    return verify(hash, octets, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature.signature);
  } catch {
    return false;
  }
}

/** RFC 4034 section 3.1.5: times are 32-bit serial numbers (RFC 1982), so compare by the sign of the difference. */
function timeProblem(signature: RrsigRecord, now: Date): SignatureProblem | undefined {
  const seconds = Math.floor(now.getTime() / 1000);
  if (((signature.expiration - seconds) | 0) < 0) return 'expired';
  if (((seconds - signature.inception) | 0) < 0) return 'not-yet-valid';
  return undefined;
}
