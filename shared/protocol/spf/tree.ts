/** Reads the tree of an expanded SPF record. */
import type { AllPolicy, ExpandedTerm, Expansion, LookupCost, ResolvedRecord } from './expansion.ts';

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

/** The record of the domain itself, as those that it includes. */
export function rootOf({
  domain,
  record,
  mechanisms,
  includeTree,
  totalLookupCount,
}: Expansion): ResolvedRecord {
  return {
    domain,
    reachedBy: null,
    term: null,
    record,
    state: 'found',
    lookups: 0,
    totalLookups: totalLookupCount,
    terms: mechanisms,
    children: includeTree,
  };
}
