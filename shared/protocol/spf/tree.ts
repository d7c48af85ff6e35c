/** An expanded SPF record as data for storage, display and sharing. All of it is JSON. */
import type { IpFamily } from '../ip.ts';
import type { LookupStatus } from './lookups.ts';
import type { QUALIFIER_RESULTS, Qualifier, SyntaxFault, Term } from './record.ts';

/** The status of a lookup; `not-asked` if none was needed or possible. */
export type LookupState = LookupStatus | 'not-asked';

/** One term of a record, with totals for the records that it includes. */
export interface ExpandedTerm {
  /** As published. */
  readonly text: string;
  readonly kind: Term['kind'];
  /** Null if the term is not a mechanism. */
  readonly qualifier: Qualifier | null;
  /** The result of the qualifier for clients that match. */
  readonly result: (typeof QUALIFIER_RESULTS)[Qualifier] | null;
  /** The argument as published: a domain-spec, a network, the value of a modifier. */
  readonly value: string | null;
  /** The target name of the term; null if it has none or the name depends on the message. */
  readonly domain: string | null;
  /** For `a` and `mx`. */
  readonly prefixLengths?: { readonly ip4: number; readonly ip6: number };
  /** The number of the ten lookups that the term itself uses. */
  readonly lookups: number;
  /** The same, including the records that the term includes. */
  readonly totalLookups: number;
  /** Addresses and ranges of the clients that match, as canonical text. Those of an `include` are in its record. */
  readonly matches: readonly string[];
  /** The target name has macros whose values depend on the message. */
  readonly dependsOnMessage: boolean;
  /** The status of its own lookup. */
  readonly state: LookupState;
  /** The mail service of the target. */
  readonly provider?: string;
  /** Why it is never evaluated: it is after `all`, or a `redirect` in a record with `all` (RFC 7208 section 5.1). */
  readonly ignored?: 'after-all' | 'beside-all';
  /** The syntax error of an invalid term, and its offset in the record. */
  readonly fault?: SyntaxFault;
  readonly at?: number;
  /** The client address families for which its lookup is a void lookup. */
  readonly voidFor?: readonly IpFamily[];
  /** Failed lookups of the term, such as `mx.example.org A`. */
  readonly unavailable?: readonly string[];
  /** MX hosts without an address. */
  readonly deadHosts?: readonly string[];
  /** The number of MX records, if it exceeds the limit. */
  readonly tooManyNames?: number;
}

/** A record in the tree of `include` and `redirect`. */
export interface ResolvedRecord {
  readonly domain: string;
  /** Null for the top record. */
  readonly reachedBy: 'include' | 'redirect' | null;
  /** Index of the including term in the terms of the record above; null for the top record. */
  readonly term: number | null;
  /** Null if there is none; the first of several. */
  readonly record: string | null;
  readonly state: LookupState;
  /** `cut`: the limits of the expansion were exceeded before or in this record. */
  readonly problem?: 'no-record' | 'multiple-records' | 'syntax' | 'loop' | 'cut';
  /** The number of SPF records of the name if there are several, and all of them. */
  readonly count?: number;
  readonly records?: readonly string[];
  /** TXT records that were evidently meant as SPF records but are not. */
  readonly lookalikes?: readonly string[];
  readonly provider?: string;
  /** The number of the ten lookups that the terms of this record use, without included records. */
  readonly lookups: number;
  readonly totalLookups: number;
  readonly terms: readonly ExpandedTerm[];
  readonly children: readonly ResolvedRecord[];
}

/** One row of the lookup breakdown, in the order in which a client that matches nothing causes the lookups. */
export interface LookupCost {
  /** The domain of the record with the term. */
  readonly domain: string;
  readonly mechanism: string;
  /** 0 in the top record. */
  readonly depth: number;
  /** The lookups of this term alone. */
  readonly lookups: number;
  /** The lookups of this term and of the records that it includes. */
  readonly branchLookups: number;
  readonly runningTotal: number;
}

/** One term with its location in the tree. */
export interface PlacedTerm {
  readonly node: ResolvedRecord;
  readonly term: ExpandedTerm;
  readonly depth: number;
  /** The record that the term includes or redirects to. */
  readonly child: ResolvedRecord | undefined;
}

/** Every term of the tree in the order of evaluation, including ignored terms. */
export function* placedTerms(node: ResolvedRecord, depth = 0): Generator<PlacedTerm> {
  for (const { term, child } of termsOf(node)) {
    yield { node, term, depth, child };
    if (child !== undefined) yield* placedTerms(child, depth + 1);
  }
}

/** The terms of one record in the order of evaluation: `redirect` comes last, regardless of its position. */
export function termsOf(
  node: Pick<ResolvedRecord, 'terms' | 'children'>,
): readonly { readonly term: ExpandedTerm; readonly child: ResolvedRecord | undefined }[] {
  const children = new Map(node.children.map((child) => [child.term, child]));
  const terms = node.terms.map((term, index) => ({ term, child: children.get(index) }));
  return [
    ...terms.filter(({ term }) => term.kind !== 'redirect'),
    ...terms.filter(({ term }) => term.kind === 'redirect'),
  ];
}

/** Every record of the tree, each before the records that it includes. */
export function* records(node: ResolvedRecord): Generator<ResolvedRecord> {
  yield node;
  for (const child of node.children) yield* records(child);
}

/** The record whose `all` applies: this one, or the target of its `redirect`. */
export function decidingRecord(node: ResolvedRecord): ResolvedRecord {
  if (node.terms.some(({ kind }) => kind === 'all')) return node;
  const target = node.children.find(({ reachedBy }) => reachedBy === 'redirect');
  return target === undefined ? node : decidingRecord(target);
}

/** The result for clients that no other term matches. */
export type AllPolicy = `${Qualifier}all`;

/** `-all`, `~all`, `?all` or `+all` of the deciding record; null if it has none. */
export function allPolicyOf(node: ResolvedRecord): AllPolicy | null {
  const all = decidingRecord(node).terms.find(({ kind }) => kind === 'all');
  return all?.qualifier ? `${all.qualifier}all` : null;
}

export function lookupBreakdown(root: ResolvedRecord): LookupCost[] {
  let runningTotal = 0;
  const rows: LookupCost[] = [];
  for (const { node, term, depth } of placedTerms(root)) {
    if (term.lookups === 0) continue;
    runningTotal += term.lookups;
    rows.push({
      domain: node.domain,
      mechanism: term.text,
      depth,
      lookups: term.lookups,
      branchLookups: term.totalLookups,
      runningTotal,
    });
  }
  return rows;
}

/** The number of void lookups that a client of each address family causes if nothing matches. */
export function voidLookups(root: ResolvedRecord): { readonly 4: number; readonly 6: number } {
  const count = { 4: 0, 6: 0 };
  for (const { term } of placedTerms(root)) {
    for (const family of term.voidFor ?? []) count[family] += 1;
  }
  return count;
}
