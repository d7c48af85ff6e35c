/** Why an answer is not secure, as data. */
import type { RecordSet } from '../dns.ts';
import type { FailedSignature, SetVerdict } from './signature.ts';

/** Why a proof of absence fails: of its records, or because they do not prove it. */
export type DenialProblem = 'unsigned' | 'expired' | 'invalid' | 'too-costly' | 'unproven';

/** Names are without trailing dot; the empty string is the root. */
export type Reason =
  /** `bogus`: all signatures of the record set have expired (`at` is the latest expiration, ISO). */
  | { readonly code: 'signature-expired'; readonly name: string; readonly type: string; readonly at: string }
  /** `bogus`: the signatures of the record set are not valid yet (`at` is the earliest inception, ISO). */
  | {
      readonly code: 'signature-not-yet-valid';
      readonly name: string;
      readonly type: string;
      readonly at: string;
    }
  /** `bogus`: a signature does not match the data. */
  | {
      readonly code: 'signature-invalid';
      readonly name: string;
      readonly type: string;
      readonly keyTag: number;
    }
  /** `bogus`: the key of a signature is not among the keys of the zone. */
  | { readonly code: 'key-missing'; readonly name: string; readonly type: string; readonly keyTag: number }
  /** `bogus`: a record set of a signed zone has no signature of that zone. */
  | { readonly code: 'set-unsigned'; readonly name: string; readonly type: string }
  /** `bogus`: validation would cost more than any legitimate zone needs (KeyTrap, CVE-2023-50387). */
  | { readonly code: 'too-costly'; readonly name: string; readonly type: string }
  /** `bogus`: a signed zone does not prove that the record set is absent (RFC 4035 section 5.4). */
  | {
      readonly code: 'denial-broken';
      readonly name: string;
      readonly type: string;
      readonly problem: DenialProblem;
    }
  /** `bogus`: the records come from a wildcard, without proof that the name itself does not exist. */
  | { readonly code: 'expansion-unproven'; readonly name: string; readonly type: string }
  /** `insecure`: the absence is proven except for unsigned delegations (opt-out, RFC 5155 section 6). */
  | { readonly code: 'opt-out'; readonly name: string; readonly type: string }
  /** `insecure`: the NSEC3 records of the zone have more iterations than validators accept (RFC 9276 section 3.2). */
  | { readonly code: 'nsec3-iterations'; readonly zone: string; readonly iterations: number }
  /** `unknown`: the check run has verified or hashed as much as it may. */
  | { readonly code: 'budget-spent'; readonly name: string; readonly type: string }
  /** `bogus`: the parent has DS records, but the zone has no DNSKEY. */
  | { readonly code: 'dnskey-absent'; readonly zone: string }
  /** `bogus`: no key of the zone matches a DS record in the parent zone. */
  | { readonly code: 'ds-mismatch'; readonly zone: string }
  /** `insecure`: the parent zone is secure and has no DS for this zone. */
  | { readonly code: 'ds-absent'; readonly zone: string }
  /** `insecure`: the DS records use only unsupported algorithms or digest types (RFC 4035 section 5.2). */
  | { readonly code: 'algorithm-unsupported'; readonly zone: string }
  /** `deprecated`: the zone is signed only with SHA-1 algorithms (RFC 9905 section 2). */
  | { readonly code: 'algorithm-deprecated'; readonly zone: string }
  /** `unknown`: a lookup that the chain needs failed. */
  | { readonly code: 'unavailable'; readonly name: string; readonly type: string; readonly reason: string }
  /** `unknown`: the resolver strips DNSSEC records, or has none for the zone of the trust anchor. */
  | { readonly code: 'stripped'; readonly zone: string }
  /** `unknown`: the keys of the trust anchor zone are not valid, which says nothing about any domain below it. */
  | { readonly code: 'anchor-failed'; readonly zone: string }
  /** `unknown`: no trust anchor covers the name. */
  | { readonly code: 'no-trust-anchor'; readonly name: string }
  /** `unknown`: the chain is longer than any legitimate one. */
  | { readonly code: 'too-deep'; readonly name: string }
  /** `unknown`: the lookup did not request signatures. */
  | { readonly code: 'not-asked'; readonly name: string };

/**
 * `deprecated`: valid, but only with SHA-1 algorithms. Resolvers must treat it as insecure, but deployed ones still
 * validate it, and reject what is bogus (RFC 9905 section 2). The others are those of RFC 4035 section 4.3.
 */
export type AuthenticationStatus = 'secure' | 'deprecated' | 'insecure' | 'bogus' | 'unknown';

/** Whether the signatures are valid, whatever their algorithm. */
export function isValidated<T extends { readonly status: AuthenticationStatus }>(
  trust: T,
): trust is Extract<T, { readonly status: 'secure' | 'deprecated' }> {
  return trust.status === 'secure' || trust.status === 'deprecated';
}

/** The problems of a record set as `Reason` values; empty if it is valid. */
export function verdictReasons(set: RecordSet, verdict: SetVerdict): Reason[] {
  const { name, type } = set;
  if (verdict.status === 'good') return [];
  if (verdict.status === 'unsigned') return [{ code: 'set-unsigned', name, type }];
  if (verdict.status === 'too-costly') return [{ code: 'too-costly', name, type }];
  if (verdict.status === 'budget-spent') return [{ code: 'budget-spent', name, type }];
  const reasons = verdict.problems.map((it) => problemReason(set, it));
  return [...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values()];
}

function problemReason({ name, type }: RecordSet, { problem, signature }: FailedSignature): Reason {
  const { keyTag } = signature;
  switch (problem) {
    case 'expired':
      return { code: 'signature-expired', name, type, at: isoTime(signature.expiration) };
    case 'not-yet-valid':
      return { code: 'signature-not-yet-valid', name, type, at: isoTime(signature.inception) };
    case 'invalid':
      return { code: 'signature-invalid', name, type, keyTag };
    case 'no-key':
      return { code: 'key-missing', name, type, keyTag };
    // A zone with only unsupported algorithms is insecure before its record sets are validated. In any other zone, each
    // record set must have a signature with a supported algorithm too (RFC 4035 section 2.2). SHA-1 is unsupported
    // unless the zone uses nothing else.
    case 'unsupported-algorithm':
      return { code: 'set-unsigned', name, type };
  }
}

/** Converts seconds since 1970, as in RRSIG records, to ISO time. */
function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
