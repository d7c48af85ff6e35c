/** An expanded SPF record as data for storage, display and sharing. All of it is JSON. */
import * as z from 'zod/mini';
import { count, described, list, text, textOrNull, texts } from '../schema.ts';
import type { LookupStatus } from './lookups.ts';
import type { QUALIFIER_RESULTS, Qualifier, SyntaxFault, Term } from './record.ts';

/** The status of a lookup; `not-asked` if none was needed or possible. */
export type LookupState = LookupStatus | 'not-asked';

const lookupState = z.enum(['found', 'absent', 'unavailable', 'not-asked'] satisfies LookupState[]);

export const network = described(text, 'An IP address, or a range in CIDR notation');

const ipFamily = z.union([z.literal(4), z.literal(6)]);

/** One term of a record, with totals for the records that it includes. */
export const expandedTerm = z.object({
  text: described(text, 'The term as published'),
  kind: z.enum([
    'all',
    'include',
    'exists',
    'a',
    'mx',
    'ptr',
    'ip4',
    'ip6',
    'redirect',
    'exp',
    'unknown-modifier',
    'invalid',
  ] satisfies Term['kind'][]),
  qualifier: described(
    z.nullable(z.enum(['+', '-', '~', '?'] satisfies Qualifier[])),
    '`null` if the term is not a mechanism',
  ),
  result: described(
    z.nullable(
      z.enum(['pass', 'fail', 'softfail', 'neutral'] satisfies (typeof QUALIFIER_RESULTS)[Qualifier][]),
    ),
    'The SPF result for clients that match',
  ),
  value: described(textOrNull, 'The argument as published: a domain, a network, or the value of a modifier'),
  domain: described(
    textOrNull,
    'The target name of the term; `null` if it has none, or if the name depends on the message',
  ),
  prefixLengths: described(
    z.exactOptional(z.object({ ip4: count, ip6: count })),
    'Only for `a` and `mx`: the prefix lengths of the networks that match',
  ),
  lookups: described(count, 'Number of DNS lookups that the term itself causes'),
  totalLookups: described(count, 'Number of DNS lookups of the term and its whole subtree'),
  matches: described(
    list(network),
    'Addresses and ranges of the clients that match. Those of an `include` are in its record',
  ),
  dependsOnMessage: described(
    z.boolean(),
    'Whether its domain contains macros that are expanded per message',
  ),
  state: described(lookupState, 'The status of the lookup of the term itself'),
  provider: described(z.exactOptional(text), 'The mail service that the domain belongs to'),
  ignored: described(
    z.exactOptional(z.enum(['after-all', 'beside-all'])),
    'Why it is never evaluated: it is after `all`, or a `redirect` in a record with `all` (RFC 7208 section 5.1)',
  ),
  fault: described(
    z.exactOptional(
      z.enum([
        'invalid-character',
        'invalid-macro',
        'explanation-macro',
        'malformed-term',
        'unknown-mechanism',
        'missing-domain',
        'unexpected-argument',
        'invalid-domain',
        'address-for-domain',
        'invalid-address',
        'invalid-prefix-length',
        'duplicate-modifier',
      ] satisfies SyntaxFault[]),
    ),
    'The syntax error of an invalid term',
  ),
  at: described(z.exactOptional(count), 'The offset of the syntax error in the record'),
  voidFor: described(
    z.exactOptional(list(ipFamily)),
    'The client address families for which its lookup is a void lookup',
  ),
  unavailable: described(z.exactOptional(texts), 'Failed lookups of the term, such as `mx.example.org A`'),
  deadHosts: described(z.exactOptional(texts), 'MX hosts without an address'),
  tooManyNames: described(z.exactOptional(count), 'The number of MX records, if it exceeds the limit'),
});

export type ExpandedTerm = z.infer<typeof expandedTerm>;

/** A record in the tree of `include` and `redirect`, with its children. */
export const resolvedRecord = z.object({
  domain: text,
  reachedBy: described(z.nullable(z.enum(['include', 'redirect'])), '`null` for the top record'),
  term: described(
    z.nullable(count),
    'Index of the including term in the terms of the record above; `null` for the top record',
  ),
  record: described(textOrNull, '`null` if there is none; the first of several'),
  records: described(z.exactOptional(texts), 'All SPF records of the name, if there is more than one'),
  count: described(
    z.exactOptional(count),
    'The number of SPF records of the name, if there is more than one',
  ),
  state: lookupState,
  problem: described(
    z.exactOptional(z.enum(['no-record', 'multiple-records', 'syntax', 'loop', 'cut'])),
    'Why the record does not count. `cut`: the limits of the check were exceeded before or in this record',
  ),
  lookalikes: described(
    z.exactOptional(texts),
    'TXT records that were evidently meant as SPF records but are not',
  ),
  provider: described(z.exactOptional(text), 'The mail service that the domain belongs to'),
  lookups: described(count, 'Number of DNS lookups of the terms of this record, without included records'),
  totalLookups: described(count, 'Number of DNS lookups of the record and its whole subtree'),
  terms: list(expandedTerm),
  get children(): z.ZodMiniReadonly<z.ZodMiniArray<typeof resolvedRecord>> {
    return list(resolvedRecord);
  },
});

export type ResolvedRecord = z.infer<typeof resolvedRecord>;

/** One row of the lookup breakdown, in the order in which a client that matches nothing causes the lookups. */
export const breakdownRow = z.object({
  domain: described(text, 'The domain of the record that contains the term'),
  mechanism: text,
  depth: described(count, '0 in the top record'),
  lookups: described(count, 'Number of DNS lookups of this term alone'),
  branchLookups: described(count, 'Number of DNS lookups of this term and of the records that it includes'),
  runningTotal: count,
});

export type LookupCost = z.infer<typeof breakdownRow>;

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
