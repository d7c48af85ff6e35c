/** Why an answer is not secure, as data. */
import type { RecordSet } from '../dns.ts';
import type { FailedSignature, SetVerdict } from './signature.ts';

/** Names are without trailing dot; the empty string is the root. */
export type Reason =
  /** `bogus`: all of the set's signatures are past their end (`at` is the latest, ISO). */
  | { readonly code: 'signature-expired'; readonly name: string; readonly type: string; readonly at: string }
  /** `bogus`: the set's signatures begin in the future (`at` is the earliest, ISO). */
  | {
      readonly code: 'signature-not-yet-valid';
      readonly name: string;
      readonly type: string;
      readonly at: string;
    }
  /** `bogus`: a signature does not fit the data. */
  | {
      readonly code: 'signature-invalid';
      readonly name: string;
      readonly type: string;
      readonly keyTag: number;
    }
  /** `bogus`: the key that a signature names is not among the zone's keys. */
  | { readonly code: 'key-missing'; readonly name: string; readonly type: string; readonly keyTag: number }
  /** `bogus`: a set of a signed zone carries no signature of that zone. */
  | { readonly code: 'set-unsigned'; readonly name: string; readonly type: string }
  /** `bogus`: checking would cost more than an honest zone ever needs (KeyTrap, CVE-2023-50387). */
  | { readonly code: 'too-costly'; readonly name: string; readonly type: string }
  /** `bogus`: the parent has DS records, the zone has no DNSKEY. */
  | { readonly code: 'dnskey-absent'; readonly zone: string }
  /** `bogus`: no key of the zone fits any DS record of the parent. */
  | { readonly code: 'ds-mismatch'; readonly zone: string }
  /** `insecure`: the parent zone is secure and has no DS for this zone. */
  | { readonly code: 'ds-absent'; readonly zone: string }
  /** `insecure`: only algorithms or digests that cannot be checked (RFC 4035 section 5.2). */
  | { readonly code: 'algorithm-unsupported'; readonly zone: string }
  /** `unknown`: a look-up the chain needs had no answer. */
  | { readonly code: 'unavailable'; readonly name: string; readonly type: string; readonly reason: string }
  /** `unknown`: the resolver does not pass DNSSEC records on, or does not answer for the zone of the trust anchor. */
  | { readonly code: 'stripped'; readonly zone: string }
  /** `unknown`: the keys of the trust anchor's zone do not hold, which says nothing about any domain below it. */
  | { readonly code: 'anchor-failed'; readonly zone: string }
  /** `unknown`: no trust anchor covers the name. */
  | { readonly code: 'no-trust-anchor'; readonly name: string }
  /** `unknown`: the chain is longer than any honest one. */
  | { readonly code: 'too-deep'; readonly name: string }
  /** `unknown`: the answer was not asked for with signatures. */
  | { readonly code: 'not-asked'; readonly name: string };

export type AuthenticationStatus = 'secure' | 'insecure' | 'bogus' | 'unknown';

/** What is wrong with a set, in the words of `Reason`; empty for a good one. */
export function verdictReasons(set: RecordSet, verdict: SetVerdict): Reason[] {
  const { name, type } = set;
  if (verdict.status === 'good') return [];
  if (verdict.status === 'unsigned') return [{ code: 'set-unsigned', name, type }];
  if (verdict.status === 'too-costly') return [{ code: 'too-costly', name, type }];
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
    // A zone whose algorithms are all unknown is insecure before its sets are looked at; in any other zone each set
    // has a signature of a known algorithm too (RFC 4035 section 2.2).
    case 'unsupported-algorithm':
      return { code: 'set-unsigned', name, type };
  }
}

/** Seconds since 1970 as RRSIG records carry them. */
function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
