/** What a DMARC record or a reported policy asks receivers to do with mail that fails. */
import { oneStepLess } from '../protocol/dmarc/discover.ts';
import type { AlignmentMode, DmarcRecord, Policy } from '../protocol/dmarc/record.ts';
import type { PublishedPolicy } from '../reports/dmarc/summary/shapes.ts';

export interface PolicyTerms {
  /** For the domain itself, its existing subdomains and its non-existent ones. Null: receivers don't apply DMARC. */
  readonly policies: { readonly p: Policy; readonly sp: Policy; readonly np: Policy } | null;
  readonly adkim: AlignmentMode;
  readonly aspf: AlignmentMode;
  /** `t=y` (RFC 9989). */
  readonly testing: boolean;
  /** The percentage of mail that the policy applies to (RFC 7489). */
  readonly pct: number;
}

/** Without a record, only alignment has a meaning, in its default mode. */
export const noPolicy: PolicyTerms = { policies: null, adkim: 'r', aspf: 'r', testing: false, pct: 100 };

export function termsOfRecord({ applied, adkim, aspf, t, pct }: DmarcRecord): PolicyTerms {
  return { policies: applied, adkim, aspf, testing: t === 'y', pct };
}

export function termsOfReport({ p, sp, np, adkim, aspf, testing, pct }: PublishedPolicy): PolicyTerms {
  return { policies: { p, sp: sp ?? p, np: np ?? sp ?? p }, adkim, aspf, testing, pct };
}

export type PolicyTag = 'p' | 'sp' | 'np';

/** What a receiver that follows RFC 9989 does with mail that fails: `t=y` weakens, `pct` is ignored (section 4.7). */
export function appliedPolicy({ policies, testing }: PolicyTerms, tag: PolicyTag): Policy {
  if (policies === null) return 'none';
  return testing ? oneStepLess(policies[tag]) : policies[tag];
}

/**
 * The shares of failing mail that a receiver that follows RFC 7489 quarantines and rejects: the policy applies to `pct`
 * percent, and the next weaker one to the rest (section 6.6.4). `np` does not exist there, and `t` is ignored.
 */
export function legacyShares(
  { policies, pct }: PolicyTerms,
  tag: PolicyTag,
): { readonly quarantine: number; readonly reject: number } {
  const policy = policies?.[tag === 'np' ? 'sp' : tag] ?? 'none';
  const share = pct / 100;
  if (policy === 'reject') return { quarantine: 1 - share, reject: share };
  return { quarantine: policy === 'quarantine' ? share : 0, reject: 0 };
}

/**
 * What a policy does to mail that fails, at receivers of both specifications. Equal for policies with equal effects, such as
 * `p=none; pct=50` and `p=none`.
 */
export function effectOf(terms: PolicyTerms, tag: PolicyTag): string {
  const { quarantine, reject } = legacyShares(terms, tag);
  return `${appliedPolicy(terms, tag)} ${quarantine} ${reject}`;
}

/** Whether every receiver applies the policy to all mail that fails: RFC 9989 receivers without `t`, others with `pct=100`. */
export const isFullyApplied = ({ testing, pct }: PolicyTerms): boolean => !testing && pct === 100;
