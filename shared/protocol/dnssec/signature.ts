/** Verifies the signatures of one record set with the keys of the signing zone (RFC 4035 section 5.3). */
import { verify } from 'node:crypto';
import type { RecordSet, RrsigRecord } from '../dns.ts';
import { countLabels, signedOctets } from './canonical.ts';
import { isSupportedAlgorithm, publicKeyOf, usesSha1, type ZoneKey } from './dnskey.ts';
import type { Effort } from './effort.ts';

/** Why one signature is not valid. */
type SignatureProblem =
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
  | { readonly status: 'too-costly' }
  /** The check run has verified as many signatures as it may, of this set or others. */
  | { readonly status: 'budget-spent' };

/**
 * Public key operations per record set, against zones designed to overload validators (KeyTrap, CVE-2023-50387).
 * Legitimate zones need one, or two or three during a key rollover. Signatures that are expired, foreign or without a
 * key cost none.
 */
const MAX_VERIFICATIONS = 8;

/** These sets are never expanded from a wildcard (RFC 4035 section 2.3, RFC 5155 section 7.1, RFC 4592 section 4). */
const neverExpanded: ReadonlySet<string> = new Set(['DNSKEY', 'DS', 'NSEC', 'NSEC3']);

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

export interface Verifier {
  /**
   * Finds a signature of `set` by `signer` that is valid now. SHA-1 counts only if a key uses it. The signature of a
   * wildcard is valid for the names expanded from it, which is why they need a proof as well (`isExpanded`).
   */
  verify(set: RecordSet, signer: string, keys: readonly ZoneKey[]): Promise<SetVerdict>;
}

/** Creates a verifier, which verifies each signature only once with the same key. */
export function createVerifier(clock: { now(): Date }, effort: Effort): Verifier {
  const known = new WeakMap<RrsigRecord, WeakMap<Uint8Array, boolean>>();

  async function isValid(set: RecordSet, signature: RrsigRecord, key: ZoneKey) {
    const results = known.get(signature) ?? new WeakMap<Uint8Array, boolean>();
    known.set(signature, results);
    const result = results.get(key.rdata);
    if (result !== undefined) return result;
    if (!(await effort.may('verifications'))) return 'budget-spent';
    const valid = verifySignature(set, signature, key);
    results.set(key.rdata, valid);
    return valid;
  }

  return {
    async verify(set, signer, keys) {
      const own = set.signatures.filter((it) => it.signerName === signer && it.typeCovered === set.type);
      if (own.length === 0) return { status: 'unsigned' };
      const byTag = Map.groupBy(keys, ({ keyTag, algorithm }) => `${keyTag} ${algorithm}`);
      const countsSha1 = keys.some(usesSha1);
      const problems: FailedSignature[] = [];
      let verifications = 0;
      for (const signature of own) {
        const candidates = byTag.get(`${signature.keyTag} ${signature.algorithm}`) ?? [];
        const problem =
          timeProblem(signature, clock.now()) ??
          algorithmProblem(signature, countsSha1) ??
          labelsProblem(set, signature) ??
          (candidates.length === 0 ? 'no-key' : undefined);
        if (problem !== undefined) {
          problems.push({ problem, signature });
          continue;
        }
        for (const key of candidates) {
          verifications += 1;
          if (verifications > MAX_VERIFICATIONS) return { status: 'too-costly' };
          const valid = await isValid(set, signature, key);
          if (valid === 'budget-spent') return { status: 'budget-spent' };
          if (valid) return { status: 'good', signature };
        }
        problems.push({ problem: 'invalid', signature });
      }
      return { status: 'bad', problems };
    },
  };
}

/** Whether a signature covers the wildcard from which the name of `set` was expanded (RFC 4035 section 5.3.2). */
export function isExpanded(set: RecordSet, { labels }: RrsigRecord): boolean {
  return labels < countLabels(set.name);
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

function algorithmProblem(signature: RrsigRecord, countsSha1: boolean): SignatureProblem | undefined {
  const isUsable = isSupportedAlgorithm(signature.algorithm) && (countsSha1 || !usesSha1(signature));
  return isUsable ? undefined : 'unsupported-algorithm';
}

/** The wildcard of an expanded name is inside the zone of the signer. */
function labelsProblem(set: RecordSet, signature: RrsigRecord): SignatureProblem | undefined {
  if (!isExpanded(set, signature)) return undefined;
  const isOutside = signature.labels < countLabels(signature.signerName);
  return isOutside || neverExpanded.has(set.type) ? 'invalid' : undefined;
}

/**
 * RFC 4034 section 3.1.5: times are 32-bit serial numbers (RFC 1982), so compare by the sign of the difference. A
 * signature that ends before it begins is never valid.
 */
function timeProblem(signature: RrsigRecord, now: Date): SignatureProblem | undefined {
  const { inception, expiration } = signature;
  const seconds = Math.floor(now.getTime() / 1000);
  if (((expiration - seconds) | 0) < 0) return 'expired';
  if (((seconds - inception) | 0) < 0) return 'not-yet-valid';
  return ((expiration - inception) | 0) < 0 ? 'invalid' : undefined;
}
