/** Turns the facts of an expanded SPF record into findings. */

import { organizationalDomain } from '../domain-name.ts';
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, raiser } from '../findings/finding.ts';
import { spfRules } from '../findings/spf.ts';
import { contains, type IpPrefix, parseIp, parsePrefix } from '../ip.ts';
import { nested } from '../ip-set.ts';
import type { ExpandedTerm, ResolvedRecord } from './expansion.ts';
import {
  type ExpansionLimits,
  MANY_LOOKUPS,
  MAX_LOOKUPS,
  MAX_VOID_LOOKUPS,
  RECOMMENDED_OCTETS,
} from './limits.ts';
import { allPolicyOf, decidingRecord, type PlacedTerm, placedTerms, records, voidLookups } from './tree.ts';

const raise = raiser(spfRules);

/** Shorter prefixes contain more hosts than one organization sends from. */
const WIDE = { 4: 16, 6: 32 } as const;

/** The reader cannot change records of other organizations: report only ranges that no service can need. */
const WIDE_OF_OTHERS = { 4: 8, 6: 16 } as const;

/** Maximum number of findings per rule. */
const MAX_OF_A_KIND = 20;

/** Source addresses that a receiver never sees from the internet (RFC 6890 section 2.2). */
const SPECIAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '240.0.0.0/4',
  '::/127',
  'fc00::/7',
  'fe80::/10',
].flatMap((text) => parsePrefix(text) ?? []);

const MECHANISM_NAMES = new Set(['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists']);

const FAULTS: Readonly<Record<NonNullable<ExpandedTerm['fault']>, string>> = {
  'invalid-character': 'a character outside printable ASCII',
  'invalid-macro': 'an invalid macro',
  'explanation-macro': 'a macro that is allowed only in explanations',
  'malformed-term': 'neither a mechanism nor a modifier',
  'unknown-mechanism': 'an unknown mechanism',
  'missing-domain': 'a missing domain name',
  'unexpected-argument': 'an unexpected argument',
  'invalid-domain': 'a name that is not fully qualified',
  'address-for-domain': 'an IP address instead of a domain name (only ip4 and ip6 take addresses)',
  'invalid-address': 'not a valid address or range of this IP version',
  'invalid-prefix-length': 'an invalid prefix length',
  'duplicate-modifier': 'a duplicate modifier',
};

/** All findings: first those about the record as a whole, then those about terms in the order of evaluation. */
export function diagnose(root: ResolvedRecord, exceeded: ReadonlySet<keyof ExpansionLimits>): Finding[] {
  const placed = [...placedTerms(root)];
  return firstOfEach([
    ...ofWhole(root),
    ...[...records(root)].flatMap((node) => ofRecord(node, root)),
    ...placed.flatMap(ofTerm),
    ...ofRanges(placed, root),
    ...ofRepetition(root),
    ...[...exceeded].map((limit) => raise('spf-expansion-cut', { limit })),
  ]);
}

function ofWhole(root: ResolvedRecord): Finding[] {
  const { domain } = root;
  if (root.state === 'absent') return [raise('spf-missing', { domain })];
  const findings: Finding[] = [];
  const count = root.totalLookups;
  if (count > MAX_LOOKUPS) findings.push(raise('spf-too-many-lookups', { count }));
  else if (count >= MANY_LOOKUPS) findings.push(raise('spf-many-lookups', { count }));
  const voids = voidLookups(root);
  const fewest = Math.min(voids[4], voids[6]);
  if (fewest > MAX_VOID_LOOKUPS) findings.push(raise('spf-too-many-void-lookups', { count: fewest }));
  else if (voids[4] > MAX_VOID_LOOKUPS) {
    findings.push(raise('spf-void-lookups-of-family', { family: 'IPv4', count: voids[4] }));
  } else if (voids[6] > MAX_VOID_LOOKUPS) {
    findings.push(raise('spf-void-lookups-of-family', { family: 'IPv6', count: voids[6] }));
  }
  const decider = decidingRecord(root);
  const policy = allPolicyOf(root);
  if (policy === '?all') findings.push(raise('spf-neutral-all', { domain: decider.domain }));
  const read = decider.state === 'found' && decider.count === undefined;
  if (policy === null && read && !decider.terms.some(({ kind }) => kind === 'redirect')) {
    findings.push(raise('spf-no-all', { domain: decider.domain }));
  }
  return findings;
}

function ofRecord(node: ResolvedRecord, root: ResolvedRecord): Finding[] {
  const { domain, record } = node;
  const findings = (node.lookalikes ?? []).map((text) =>
    raise('spf-lookalike', { domain, text: excerpt(text) }),
  );
  if (node.state === 'unavailable')
    findings.push(raise('spf-lookup-unavailable', { question: `${domain} TXT`, ...because(node.failure) }));
  if (node.count !== undefined) findings.push(raise('spf-multiple-records', { domain, count: node.count }));
  const octets = domain.length + Buffer.byteLength(record ?? '');
  if (record !== null && octets > RECOMMENDED_OCTETS && isOwn(node, root)) {
    findings.push(raise('spf-record-too-long', { domain, octets }));
  }
  return [...findings, ...duplicates(node)];
}

/** The argument of a rule about a failed lookup. */
function because(reason: string | undefined): { readonly reason?: string } {
  return { ...(reason !== undefined && { reason }) };
}

/** Duplicates among the terms that are evaluated. Terms that are never reached have findings of their own. */
function duplicates({ domain, terms }: ResolvedRecord): Finding[] {
  const firsts = new Map<string, string>();
  return terms
    .filter(({ ignored }) => ignored === undefined)
    .flatMap((term) => {
      const meaning = meaningOf(term);
      const first = firsts.get(meaning);
      if (first === undefined) firsts.set(meaning, term.text);
      return first === undefined
        ? []
        : [raise('spf-duplicate-term', { domain, term: excerpt(term.text), first: excerpt(first) })];
    });
}

/** A key that is equal for terms that match the same clients, whatever their qualifiers: the first one decides. */
function meaningOf({ kind, domain, value, matches, prefixLengths, text }: ExpandedTerm): string {
  if (kind === 'ip4' || kind === 'ip6') return `${kind}:${matches.join()}`;
  if (kind === 'invalid' || kind === 'unknown-modifier') return text;
  // A name that depends on the message is compared as written: `%{s}` and `%{S}` differ.
  return [kind, domain ?? value, prefixLengths?.ip4, prefixLengths?.ip6].join(' ');
}

function ofTerm({ node, term, child }: PlacedTerm): Finding[] {
  const { domain } = node;
  const place = { domain, term: excerpt(term.text) };
  if (term.ignored === 'after-all') return [raise('spf-term-after-all', place)];
  if (term.ignored === 'beside-all') return [raise('spf-redirect-beside-all', place)];
  const findings: Finding[] = [];
  if (term.fault !== undefined) {
    findings.push(raise('spf-syntax', { ...place, at: term.at ?? 0, fault: FAULTS[term.fault] }));
  }
  if (term.kind === 'unknown-modifier') {
    const name = term.text.slice(0, term.text.indexOf('=')).toLowerCase();
    if (name === 'v') findings.push(raise('spf-merged-records', place));
    else if (MECHANISM_NAMES.has(name)) findings.push(raise('spf-mechanism-as-modifier', place));
    else findings.push(raise('spf-unknown-modifier', place));
  }
  if (term.kind === 'ptr') findings.push(raise('spf-ptr', place));
  if (term.kind === 'all' && term.qualifier === '+') findings.push(raise('spf-pass-all', { domain }));
  if (term.kind === 'exists' && term.state === 'found')
    findings.push(raise('spf-exists-for-everyone', place));
  if (term.dependsOnMessage) findings.push(raise('spf-depends-on-message', place));
  if (term.state === 'absent' && child === undefined) {
    findings.push(raise('spf-void-lookup', { ...place, name: excerpt(term.domain ?? '') }));
  }
  if (term.tooManyNames !== undefined) {
    const names = { name: term.domain ?? '', count: term.tooManyNames };
    findings.push(raise('spf-too-many-mx-names', { ...place, ...names }));
  }
  if (term.deadHosts !== undefined) {
    findings.push(raise('spf-dead-mx-hosts', { ...place, hosts: excerpts(term.deadHosts) }));
  }
  for (const [index, question] of (term.unavailable ?? []).entries()) {
    const reason = because(term.failures?.[index]);
    findings.push(raise('spf-addresses-unavailable', { question: excerpt(question), ...reason }));
  }
  if (child?.problem === 'no-record') {
    findings.push(raise('spf-no-record-behind', { ...place, target: excerpt(child.domain) }));
  }
  if (child?.problem === 'loop') findings.push(raise('spf-loop', { ...place, target: child.domain }));
  return findings;
}

interface PlacedRange {
  readonly prefix: IpPrefix;
  readonly range: string;
  readonly own: boolean;
  /** Equal for terms of one record that are reported as duplicates. */
  readonly meaning: string;
  readonly place: { readonly domain: string; readonly term: string };
}

/** Findings about the addresses and ranges that terms authorize. */
function ofRanges(placed: readonly PlacedTerm[], root: ResolvedRecord): Finding[] {
  const ranges: PlacedRange[] = placed
    .filter(({ term }) => term.qualifier === '+' && term.ignored === undefined)
    .flatMap(({ node, term }) =>
      term.matches.flatMap((range) => {
        const prefix = parsePrefix(range);
        const place = { domain: node.domain, term: excerpt(term.text) };
        const meaning = `${node.domain} ${meaningOf(term)}`;
        return prefix === undefined ? [] : [{ prefix, range, own: isOwn(node, root), meaning, place }];
      }),
    );
  const own = ranges.filter((range) => range.own);
  const wide = ranges.filter(
    ({ prefix, own }) => prefix.length < (own ? WIDE : WIDE_OF_OTHERS)[prefix.family],
  );
  const special = own.filter(({ prefix }) => SPECIAL.some((block) => contains(block, prefix)));
  const unmasked = placed.filter(({ node, term }) => isOwn(node, root) && hasBitsBeyondPrefix(term));
  const overlaps = nested(ranges.map((range) => ({ ...range.prefix, ...range })));
  return [
    ...wide.map(({ place, range }) => raise('spf-wide-range', { ...place, range })),
    ...special.map(({ place, range }) => raise('spf-special-range', { ...place, range })),
    ...unmasked.map(({ node: { domain }, term: { text, matches } }) =>
      raise('spf-bits-beyond-prefix', { domain, term: excerpt(text), range: matches.join() }),
    ),
    ...overlaps
      .filter(({ inner, outer }) => inner.own && inner.meaning !== outer.meaning)
      .map(({ inner, outer }) =>
        raise('spf-overlap', {
          range: inner.range,
          ...inner.place,
          within: outer.range,
          other: outer.place.term,
          otherDomain: outer.place.domain,
        }),
      ),
  ];
}

function hasBitsBeyondPrefix({ value, matches, kind }: ExpandedTerm): boolean {
  if (kind !== 'ip4' && kind !== 'ip6') return false;
  return parseIp(value?.split('/')[0] ?? '')?.value !== parsePrefix(matches[0] ?? '')?.value;
}

function ofRepetition(root: ResolvedRecord): Finding[] {
  const reached = new Map<string, { count: number; lookups: number }>();
  for (const { domain, reachedBy, totalLookups, problem } of records(root)) {
    if (reachedBy === null || problem === 'loop') continue;
    const count = (reached.get(domain)?.count ?? 0) + 1;
    reached.set(domain, { count, lookups: 1 + totalLookups });
  }
  const repeated = [...reached].filter(([, { count }]) => count > 1);
  return repeated.map(([target, times]) =>
    raise('spf-repeated-include', { target: excerpt(target), ...times }),
  );
}

/** Whether a record belongs to the organization whose domain is checked. */
function isOwn(node: ResolvedRecord, root: ResolvedRecord): boolean {
  return organizationalDomain(node.domain) === organizationalDomain(root.domain);
}

/** Removes equal findings, such as those of a record that is included twice, and limits the number per rule. */
function firstOfEach(findings: readonly Finding[]): Finding[] {
  const times = new Map<string, number>();
  const different = new Map(
    findings.map((finding) => [JSON.stringify([finding.id, finding.arguments]), finding]),
  );
  return [...different.values()].filter(({ id }) => {
    const time = (times.get(id) ?? 0) + 1;
    times.set(id, time);
    return time <= MAX_OF_A_KIND;
  });
}
