/**
 * The addresses that a whole tree of records authorizes: as published with their sources, as the smallest equivalent
 * set, and as a record without lookups.
 */

import { compareIps, formatPrefix, type IpPrefix, parsePrefix } from '../ip.ts';
import { difference, EMPTY, EVERYTHING, type IpSet, ipSet, prefixesOf, union } from '../ip-set.ts';
import type {
  ExpandedTerm,
  Flattened,
  FlattenedNetwork,
  FlattenedRecord,
  ResolvedRecord,
} from './expansion.ts';
import { MAX_LOOKUPS, RECOMMENDED_OCTETS } from './limits.ts';
import { allPolicyOf, termsOf } from './tree.ts';

/** More than fit into ten records of the recommended size. */
const MAX_PREFIXES = 500;

interface Branch {
  readonly term: ExpandedTerm;
  readonly child: ResolvedRecord | undefined;
}

/** Flattens a tree. The matches of `all` in the top record are not listed: `allPolicy` covers them. */
export function flatten(root: ResolvedRecord): Flattened {
  const branches = termsOf(root).filter(({ term }) => hasEffect(term));
  const kept = branches.filter((branch) => !isReplaceable(branch));
  return {
    networks: networksOf(root),
    merged: prefixesOf(passing(branches), MAX_PREFIXES)?.map(formatPrefix) ?? null,
    kept: kept.map(({ term }) => term.text),
    records: root.problem === undefined ? flattenedRecords(root, branches) : [],
  };
}

/** Receivers ignore unknown modifiers (RFC 7208 section 6). */
function hasEffect({ ignored, kind }: ExpandedTerm): boolean {
  return ignored === undefined && kind !== 'unknown-modifier';
}

function networksOf(root: ResolvedRecord): FlattenedNetwork[] {
  const sources = new Map<string, { readonly domain: string; readonly term: string }[]>();
  for (const { domain, term } of passingTerms(root)) {
    for (const network of new Set(term.matches)) {
      sources.set(network, [...(sources.get(network) ?? []), { domain, term: term.text }]);
    }
  }
  const networks = parsed([...sources.keys()])
    .toSorted(compareIps)
    .map(formatPrefix);
  return networks.map((network) => ({ network, sources: sources.get(network) ?? [] }));
}

/** The terms whose matches pass: all includes above them have the qualifier `+`. */
function* passingTerms(
  node: ResolvedRecord,
): Generator<{ readonly domain: string; readonly term: ExpandedTerm }> {
  for (const { term, child } of termsOf(node)) {
    if (term.ignored !== undefined || (term.qualifier !== '+' && term.kind !== 'redirect')) continue;
    yield { domain: node.domain, term };
    if (child !== undefined) yield* passingTerms(child);
  }
}

/** The clients that pass these terms. The first matching term decides (RFC 7208 section 4.6.2). */
function passing(branches: readonly Branch[], all: IpSet = EMPTY): IpSet {
  let passed = EMPTY;
  let decided = EMPTY;
  for (const { term, child } of branches) {
    if (term.ignored !== undefined) continue;
    const below = child === undefined ? [] : termsOf(child);
    if (term.kind === 'redirect') return union(passed, difference(passing(below, all), decided));
    const matched =
      term.kind === 'all'
        ? all
        : term.kind === 'include'
          ? passing(below, EVERYTHING)
          : matchesEveryone(term)
            ? EVERYTHING
            : ipSet(parsed(term.matches));
    if (term.qualifier === '+') passed = union(passed, difference(matched, decided));
    decided = union(decided, matched);
  }
  return passed;
}

/** Whether every IPv4 client passes, by `+all`, by `exists`, or by all ranges together. */
export function passesEveryone(record: Pick<ResolvedRecord, 'terms' | 'children'>): boolean {
  const passed = prefixesOf(passing(termsOf(record), EVERYTHING), MAX_PREFIXES) ?? [];
  return passed.some(({ family, length }) => family === 4 && length === 0);
}

/** A name that exists and does not depend on the message exists for every client (RFC 7208 section 5.7). */
function matchesEveryone({ kind, state }: ExpandedTerm): boolean {
  return kind === 'exists' && state === 'found';
}

/** Whether addresses can replace a term and the records that it includes. */
function isReplaceable({ term, child }: Branch): boolean {
  if (term.dependsOnMessage || term.unavailable !== undefined) return false;
  if (term.kind === 'exists' || term.kind === 'ptr' || term.kind === 'invalid') return false;
  if (child === undefined) return true;
  return child.state === 'found' && child.problem === undefined && termsOf(child).every(isReplaceable);
}

function flattenedRecords(root: ResolvedRecord, branches: readonly Branch[]): FlattenedRecord[] {
  const { domain } = root;
  const sequence = replaced(branches);
  if (sequence === undefined || sequence.every(isTerm)) return [];
  const stays = sequence.filter(isTerm);
  const policy = stays.some(({ kind }) => kind === 'redirect') ? null : allPolicyOf(root);
  const record = (terms: readonly string[]) => {
    return { name: domain, text: ['v=spf1', ...terms, ...(policy === null ? [] : [policy])].join(' ') };
  };
  const whole = record(sequence.flatMap((item) => (isTerm(item) ? item.text : item)));
  if (fits(whole)) return [whole];
  const parts: FlattenedRecord[] = [];
  const main = sequence.flatMap((item) => {
    if (isTerm(item)) return item.text;
    const added = split(domain, parts.length, item);
    parts.push(...added);
    return added.map(({ name }) => `include:${name}`);
  });
  const lookups = stays.reduce((total, { totalLookups }) => total + totalLookups, parts.length);
  // Splitting a record that fits is worthwhile only if it saves lookups.
  const saves = lookups < root.totalLookups || !fits({ name: domain, text: root.record ?? '' });
  return saves && lookups <= MAX_LOOKUPS ? [record(main), ...parts] : [];
}

/**
 * The terms of a record in their order, with each run of replaceable terms replaced by address terms; undefined if
 * there are too many. Terms that deny clients stay in place, because order matters.
 */
function replaced(branches: readonly Branch[]): (ExpandedTerm | readonly string[])[] | undefined {
  const sequence: (ExpandedTerm | readonly string[])[] = [];
  let run: Branch[] = [];
  for (const branch of [...branches, undefined]) {
    if (branch !== undefined && isReplaceable(branch) && isPassing(branch)) {
      run.push(branch);
      continue;
    }
    const prefixes = prefixesOf(passing(run), MAX_PREFIXES);
    if (prefixes === undefined) return undefined;
    if (prefixes.length > 0)
      sequence.push(prefixes.map((prefix) => `ip${prefix.family}:${formatPrefix(prefix)}`));
    run = [];
    if (branch !== undefined && branch.term.kind !== 'all') sequence.push(branch.term);
  }
  return sequence;
}

/** Whether only the clients that a term authorizes matter. Before `+all`, the clients that it denies matter too. */
function isPassing({ term, child }: Branch): boolean {
  if (term.kind === 'redirect') return child !== undefined && allPolicyOf(child) !== '+all';
  return term.qualifier === '+' && term.kind !== 'all';
}

function isTerm(item: ExpandedTerm | readonly string[]): item is ExpandedTerm {
  return 'text' in item;
}

/** Splits terms into the fewest records of the recommended size. `before` is the number of records that have names. */
function split(domain: string, before: number, terms: readonly string[]): FlattenedRecord[] {
  const parts: FlattenedRecord[] = [];
  for (const term of terms) {
    const last = parts.at(-1);
    const longer = last && { ...last, text: last.text.replace(/ -all$/, ` ${term} -all`) };
    if (longer && fits(longer)) parts[parts.length - 1] = longer;
    else parts.push({ name: `_spf${before + parts.length + 1}.${domain}`, text: `v=spf1 ${term} -all` });
  }
  return parts;
}

function fits({ name, text }: FlattenedRecord): boolean {
  return name.length + text.length <= RECOMMENDED_OCTETS;
}

function parsed(networks: readonly string[]): IpPrefix[] {
  return networks.flatMap((text) => parsePrefix(text) ?? []);
}
