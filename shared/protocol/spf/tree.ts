/** An expanded SPF record as data: what is stored, shown and shared, so all of it is JSON. */
import type { IpFamily } from '../ip.ts';
import type { LookupStatus } from './lookups.ts';
import type { QUALIFIER_RESULTS, Qualifier, SyntaxFault, Term } from './record.ts';

/** What became of a look-up; `not-asked` where none was needed or none could be made. */
export type LookupState = LookupStatus | 'not-asked';

/** One term of a record, and everything that lies behind it. */
export interface ExpandedTerm {
  /** As published. */
  readonly text: string;
  readonly kind: Term['kind'];
  /** Null for what is no mechanism. */
  readonly qualifier: Qualifier | null;
  /** What the qualifier says of clients that match. */
  readonly result: (typeof QUALIFIER_RESULTS)[Qualifier] | null;
  /** The argument as published: a domain-spec, a network, the value of a modifier. */
  readonly value: string | null;
  /** The name that the term leads to; null where it has none, or only a message gives it one. */
  readonly domain: string | null;
  /** Of `a` and `mx`. */
  readonly prefixLengths?: { readonly ip4: number; readonly ip6: number };
  /** Look-ups that the term itself costs of the ten. */
  readonly lookups: number;
  /** The same with everything behind it. */
  readonly totalLookups: number;
  /** Addresses and ranges in canonical text of the clients that match; those behind an `include` stand in its record. */
  readonly matches: readonly string[];
  /** Its name holds macros whose value only a message has. */
  readonly dependsOnMessage: boolean;
  /** Of its own look-up. */
  readonly state: LookupState;
  /** The mail service that it names. */
  readonly provider?: string;
  /** Why it is never evaluated: it stands after `all`, or it is a `redirect` beside `all` (RFC 7208 section 5.1). */
  readonly ignored?: 'after-all' | 'beside-all';
  /** Why it is no term, and its offset in the record. */
  readonly fault?: SyntaxFault;
  readonly at?: number;
  /** Clients for whom its look-up is a void one. */
  readonly voidFor?: readonly IpFamily[];
  /** Look-ups behind it that could not be made, as `mx.example.org A`. */
  readonly unavailable?: readonly string[];
  /** Hosts of its `mx` that have no address. */
  readonly deadHosts?: readonly string[];
  /** How many names its `mx` has, where they are more than may be looked up. */
  readonly tooManyNames?: number;
}

/** A record of the tree that `include` and `redirect` span. */
export interface ResolvedRecord {
  readonly domain: string;
  /** Null for the record that was asked for. */
  readonly reachedBy: 'include' | 'redirect' | null;
  /** Index of the term that led here in the terms of the record above; null for the record that was asked for. */
  readonly term: number | null;
  /** Null where there is none; the first of several. */
  readonly record: string | null;
  readonly state: LookupState;
  /** `cut`: the limits of the expansion were reached before or in it. */
  readonly problem?: 'no-record' | 'multiple-records' | 'syntax' | 'loop' | 'cut';
  /** How many SPF records the name has, where they are several, and all of them. */
  readonly count?: number;
  readonly records?: readonly string[];
  /** TXT records that were evidently meant as SPF records and are none. */
  readonly lookalikes?: readonly string[];
  readonly provider?: string;
  /** What the terms of this record cost of the ten look-ups, without what lies behind them. */
  readonly lookups: number;
  readonly totalLookups: number;
  readonly terms: readonly ExpandedTerm[];
  readonly children: readonly ResolvedRecord[];
}

/** One row of the bill, in the order in which a client that matches nothing would cause it. */
export interface LookupCost {
  /** Whose record the term stands in. */
  readonly domain: string;
  readonly mechanism: string;
  /** 0 in the record that was asked for. */
  readonly depth: number;
  /** Of this term alone. */
  readonly lookups: number;
  /** With everything behind it. */
  readonly branchLookups: number;
  readonly runningTotal: number;
}

/** One term in its place. */
export interface PlacedTerm {
  readonly node: ResolvedRecord;
  readonly term: ExpandedTerm;
  readonly depth: number;
  /** The record that the term leads to. */
  readonly child: ResolvedRecord | undefined;
}

/** Every term of the tree in the order of evaluation, ignored ones included. */
export function* placedTerms(node: ResolvedRecord, depth = 0): Generator<PlacedTerm> {
  for (const { term, child } of termsOf(node)) {
    yield { node, term, depth, child };
    if (child !== undefined) yield* placedTerms(child, depth + 1);
  }
}

/** The terms of one record in the order of evaluation, which has `redirect` last wherever it stands. */
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

/** Every record of the tree, each before those it leads to. */
export function* records(node: ResolvedRecord): Generator<ResolvedRecord> {
  yield node;
  for (const child of node.children) yield* records(child);
}

/** The record whose `all` decides: this one, or the one its `redirect` leads to. */
export function decidingRecord(node: ResolvedRecord): ResolvedRecord {
  if (node.terms.some(({ kind }) => kind === 'all')) return node;
  const target = node.children.find(({ reachedBy }) => reachedBy === 'redirect');
  return target === undefined ? node : decidingRecord(target);
}

/** What is said of clients that no term names. */
export type AllPolicy = `${Qualifier}all`;

/** `-all`, `~all`, `?all` or `+all` of the deciding record; null where it has none. */
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

/** How many void look-ups a client of each family would cause that matches nothing. */
export function voidLookups(root: ResolvedRecord): { readonly 4: number; readonly 6: number } {
  const count = { 4: 0, 6: 0 };
  for (const { term } of placedTerms(root)) {
    for (const family of term.voidFor ?? []) count[family] += 1;
  }
  return count;
}
