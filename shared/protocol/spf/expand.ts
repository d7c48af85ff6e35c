/**
 * Expands the SPF record of a domain: every record that it reaches, and the cost and the matches of each term. Terms
 * are not skipped because an earlier term matches, and every lookup starts as soon as its name is known.
 */

import type { Dns } from '../dns.ts';
import { canonicalName } from '../domain-name.ts';
import { type Finding, hasErrors } from '../findings/finding.ts';
import { formatPrefix } from '../ip.ts';
import { providerOf } from '../providers.ts';
import { type Budget, createBudget, withBudget } from './budget.ts';
import { diagnose } from './diagnose.ts';
import type { ExpandedTerm, Expansion, ResolvedRecord } from './expansion.ts';
import { flatten } from './flatten.ts';
import { EXPANSION_LIMITS, type ExpansionLimits } from './limits.ts';
import { type Designation, designate, isQuery, lookupCost, lookupPolicy, targetName } from './lookups.ts';
import { type MacroString, macroLetters } from './macro.ts';
import { type Exists, type HostMechanism, QUALIFIER_RESULTS, type SpfRecord, type Term } from './record.ts';
import { allPolicyOf, lookupBreakdown, records, voidLookups } from './tree.ts';

interface ExpandOptions {
  readonly limits?: Partial<ExpansionLimits>;
  /** A clock in milliseconds with any starting point, for the time limit. */
  readonly now?: () => number;
}

interface Session {
  readonly dns: Dns;
  readonly budget: Budget;
  /** The value of `%{o}`: checks of a domain are about its own senders. */
  readonly origin: string;
}

/** The location of a term: the domain of its record, and the domains of the records above it. */
interface Place {
  readonly domain: string;
  readonly above: readonly string[];
}

/** Expands the record of `domain` (RFC 7208). Never throws. ExpansionLimits has the limits on work. */
export async function expand(domain: string, dns: Dns, options: ExpandOptions = {}): Promise<Expansion> {
  const origin = canonicalName(domain);
  const limits = { ...EXPANSION_LIMITS, ...options.limits };
  const budget = createBudget(limits, options.now ?? performance.now.bind(performance));
  const session: Session = { dns: withBudget(dns, budget), budget, origin };
  const root = await resolve(session, origin, []);
  const findings = diagnose(root, budget.exceeded);
  const flattened = flatten(root);
  const voids = voidLookups(root);
  const unknown = [...records(root)].flatMap((node) => [
    ...(node.state === 'unavailable' ? [`${node.domain} TXT`] : []),
    ...node.terms.flatMap(({ unavailable = [] }) => unavailable),
  ]);
  return {
    domain: origin,
    status: statusOf(root, findings, budget),
    record: root.record,
    ...(root.records === undefined ? {} : { records: root.records }),
    version: root.record === null ? null : 'spf1',
    allPolicy: allPolicyOf(root),
    mechanisms: root.terms,
    includeTree: root.children,
    lookupBreakdown: lookupBreakdown(root),
    totalLookupCount: root.totalLookups,
    voidLookupCount: { ip4: voids[4], ip6: voids[6] },
    flattenedIps: flattened.networks.map(({ network }) => network),
    flattened,
    detectedProviders: providersOf(root),
    recordLength: Buffer.byteLength(root.record ?? ''),
    findings,
    unknown: [...new Set(unknown)],
  };
}

function statusOf(root: ResolvedRecord, findings: readonly Finding[], budget: Budget): Expansion['status'] {
  if (root.state === 'unavailable') return 'unknown';
  if (root.state === 'absent') return 'no-record';
  if (hasErrors(findings)) return 'invalid';
  const complete = [...records(root)].every(({ state }) => state !== 'unavailable');
  return complete && budget.exceeded.size === 0 ? 'valid' : 'unknown';
}

function providersOf(root: ResolvedRecord): string[] {
  const terms = [...records(root)].flatMap((node) => node.terms);
  return [...new Set(terms.flatMap(({ provider, ignored }) => (provider && !ignored ? [provider] : [])))];
}

type Reached = Pick<ResolvedRecord, 'reachedBy' | 'term'>;

async function resolve(
  session: Session,
  domain: string,
  above: readonly string[],
  reached: Reached = { reachedBy: null, term: null },
): Promise<ResolvedRecord> {
  const provider = providerOf(domain);
  const meant = (lookalikes: readonly string[]) => (lookalikes.length > 0 ? { lookalikes } : {});
  const node: ResolvedRecord = {
    domain,
    ...reached,
    record: null,
    state: 'not-asked',
    ...(provider === undefined ? {} : { provider }),
    lookups: 0,
    totalLookups: 0,
    terms: [],
    children: [],
  };
  if (above.includes(domain)) return { ...node, problem: 'loop' };
  if (!session.budget.spend('records', 1)) return { ...node, problem: 'cut' };
  const policy = await lookupPolicy(session.dns, domain);
  switch (policy.status) {
    case 'unavailable':
      return { ...node, state: 'unavailable', failure: policy.failure };
    case 'absent':
      return { ...node, state: 'absent', problem: 'no-record', ...meant(policy.lookalikes) };
    case 'multiple': {
      const { texts } = policy;
      return {
        ...node,
        state: 'found',
        problem: 'multiple-records',
        record: texts[0] ?? null,
        count: texts.length,
        records: texts,
      };
    }
    case 'found': {
      const expanded = await expandTerms(session, policy.record, { domain, above: [...above, domain] });
      const terms = expanded.map(({ term }) => term);
      return {
        ...node,
        state: 'found',
        record: policy.record.text,
        ...problemOf(policy.record, terms.length),
        ...meant(policy.lookalikes),
        lookups: sum(terms.map(({ lookups }) => lookups)),
        totalLookups: sum(terms.map(({ totalLookups }) => totalLookups)),
        terms,
        children: expanded.flatMap(({ child }) => child ?? []),
      };
    }
  }
}

function problemOf({ terms, problems }: SpfRecord, expanded: number): Pick<ResolvedRecord, 'problem'> {
  if (problems.length > 0) return { problem: 'syntax' };
  return expanded < terms.length ? { problem: 'cut' } : {};
}

interface Expanded {
  readonly term: ExpandedTerm;
  readonly child?: ResolvedRecord;
}

async function expandTerms(session: Session, record: SpfRecord, place: Place): Promise<Expanded[]> {
  const all = record.terms.findIndex(({ kind }) => kind === 'all');
  const terms = record.terms.filter(() => session.budget.spend('terms', 1));
  return Promise.all(
    terms.map((term, index) => {
      if (all !== -1 && term.kind === 'redirect')
        return { term: { ...fieldsOf(term), ignored: 'beside-all' } };
      if (all !== -1 && index > all && 'qualifier' in term) {
        return { term: { ...fieldsOf(term), ignored: 'after-all' } };
      }
      return expandTerm(session, term, index, place);
    }),
  );
}

async function expandTerm(session: Session, term: Term, index: number, place: Place): Promise<Expanded> {
  const known = { ...fieldsOf(term), lookups: lookupCost(term), totalLookups: lookupCost(term) };
  if (!isQuery(term)) return { term: known };
  if (term.domain !== undefined && dependsOnMessage(term.domain)) {
    return { term: { ...known, dependsOnMessage: true } };
  }
  const domain = targetOf(session, term.domain, place);
  if (term.kind === 'include' || term.kind === 'redirect') {
    const reached = { reachedBy: term.kind, term: index };
    const child = await resolve(session, domain ?? term.domain.text, place.above, reached);
    const totalLookups = known.lookups + child.totalLookups;
    return { term: { ...known, domain, totalLookups, state: child.state }, child };
  }
  if (term.kind === 'ptr' || domain === null) return { term: { ...known, domain } };
  return { term: { ...known, domain, ...outcome(term, await designate(session.dns, term, domain, [4, 6])) } };
}

/** Only `%{d}` and `%{o}` have the same value for every message from the senders of the domain. */
function dependsOnMessage(spec: MacroString): boolean {
  return [...macroLetters(spec)].some((letter) => letter !== 'd' && letter !== 'o');
}

function targetOf(session: Session, spec: MacroString | undefined, { domain }: Place): string | null {
  if (spec === undefined) return domain;
  const target = targetName(spec, (letter) => (letter === 'o' ? session.origin : domain));
  return target === undefined ? null : canonicalName(target);
}

/** The fields of a term that need no lookups. */
function fieldsOf(term: Term): ExpandedTerm {
  const qualifier = 'qualifier' in term ? term.qualifier : null;
  const provider =
    term.kind === 'include' || term.kind === 'redirect' || term.kind === 'exists'
      ? providerOf(term.domain.text)
      : undefined;
  return {
    text: term.text,
    kind: term.kind,
    qualifier,
    result: qualifier === null ? null : QUALIFIER_RESULTS[qualifier],
    value: argumentOf(term),
    domain: null,
    ...('lengths' in term ? { prefixLengths: { ip4: term.lengths[4], ip6: term.lengths[6] } } : {}),
    lookups: 0,
    totalLookups: 0,
    matches: 'network' in term ? [formatPrefix(term.network)] : [],
    dependsOnMessage: false,
    state: 'not-asked',
    ...(provider === undefined ? {} : { provider }),
    ...(term.kind === 'invalid' ? { fault: term.fault, at: term.at } : {}),
  };
}

function argumentOf(term: Term): string | null {
  if ('network' in term) return term.text.slice(term.text.indexOf(':') + 1);
  if ('value' in term) return term.value.text;
  return 'domain' in term ? (term.domain?.text ?? null) : null;
}

/** The fields of a mechanism that depend on its lookups. */
function outcome(
  term: Exists | HostMechanism,
  { own, hosts, tooManyNames }: Designation,
): Partial<ExpandedTerm> {
  const statuses = new Set(own.map(({ status }) => status));
  const failures = new Map(
    [...own, ...hosts].flatMap(({ question, failure }) =>
      failure === undefined ? [] : [[question, failure]],
    ),
  );
  const voidFor = own.filter(({ status }) => status === 'absent').map(({ family }) => family);
  const absent = hosts.filter(({ status }) => status === 'absent').map(({ host }) => host);
  // The entries for both families of a host are adjacent.
  const deadHosts = term.kind === 'mx' ? absent.filter((host, index) => host === absent[index - 1]) : [];
  return {
    matches: 'lengths' in term ? hosts.flatMap(({ networks }) => networks.map(formatPrefix)) : [],
    state: statuses.has('found') ? 'found' : statuses.has('unavailable') ? 'unavailable' : 'absent',
    ...(voidFor.length > 0 ? { voidFor } : {}),
    ...(failures.size > 0 ? { unavailable: [...failures.keys()], failures: [...failures.values()] } : {}),
    ...(deadHosts.length > 0 ? { deadHosts: [...new Set(deadHosts)] } : {}),
    ...(tooManyNames === undefined ? {} : { tooManyNames }),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
