/**
 * Predicts the SPF results of many addresses for one record. The record is expanded once; each address is then compared
 * with the networks of its terms, in the order of evaluation (RFC 7208 section 4.6.2). Only if a term depends on more
 * than the networks (`ptr`, `exists:%{i}.example.org`), the address is evaluated with lookups of its own.
 */
import type { Answer, Dns, LookupOptions, RecordData, RecordType } from '../protocol/dns.ts';
import { type IpAddress, parseIp, parsePrefix, unmapped } from '../protocol/ip.ts';
import { includes, ipSet } from '../protocol/ip-set.ts';
import { evaluate, type SpfResultName } from '../protocol/spf/evaluate.ts';
import { expand } from '../protocol/spf/expand.ts';
import type { ExpandedTerm, Expansion, ResolvedRecord } from '../protocol/spf/expansion.ts';
import { MAX_LOOKUPS, MAX_VOID_LOOKUPS } from '../protocol/spf/limits.ts';
import { placedTerms, rootOf, termsOf } from '../protocol/spf/tree.ts';

/** Why the result of an address cannot be predicted. */
const unpredictableSpf = ['spf-macros', 'spf-lookup-failed', 'spf-too-many-addresses'] as const;

type UnpredictableSpf = (typeof unpredictableSpf)[number];

export type SpfPrediction = { readonly result: SpfResultName } | { readonly unpredictable: UnpredictableSpf };

export interface SpfPredictor {
  readonly expansion: Expansion;
  /** The result for an address in any notation; a promise only until it is known. */
  readonly predict: (address: string) => SpfPrediction | Promise<SpfPrediction>;
}

/** The addresses of one record that are evaluated with lookups of their own. */
const EVALUATED_ADDRESSES = 200;

/** These macros need the message and not only its address (RFC 7208 section 7.2); `p` needs the zone of the client. */
const MESSAGE_MACROS = /%\{[slhp]/i;

/**
 * A predictor for `record` as the SPF record of `domain`. A proposed record that exceeds a limit of RFC 7208 section
 * 4.6.4 is a permerror for every address; a published one is evaluated up to the term that matches, as receivers do.
 */
export async function spfPredictor(
  domain: string,
  record: string,
  { dns, isProposal, now }: { dns: Dns; isProposal: boolean; now: Date },
): Promise<SpfPredictor> {
  const published = withRecord(dns, domain, record);
  const expansion = await expand(domain, published);
  const root = rootOf(expansion);
  const isPermerror = isProposal && exceedsLimits(expansion);
  const needsMessage = [...placedTerms(root)].some(({ term }) => MESSAGE_MACROS.test(term.text));
  const matcher = matcherOf(root);
  const known = new Map<string, SpfPrediction | Promise<SpfPrediction>>();
  let evaluations = 0;

  async function predict(address: string): Promise<SpfPrediction> {
    const client = parseIp(address);
    if (client === undefined) return { result: 'none' };
    if (isPermerror) return { result: 'permerror' };
    const verdict = matcher(unmapped(client), { lookups: 0, voidLookups: 0 });
    if (verdict === 'temperror') return { unpredictable: 'spf-lookup-failed' };
    if (verdict !== 'evaluate') return { result: verdict };
    if (needsMessage) return { unpredictable: 'spf-macros' };
    evaluations += 1;
    if (evaluations > EVALUATED_ADDRESSES) return { unpredictable: 'spf-too-many-addresses' };
    const sender = { mailFrom: `postmaster@${domain}`, helo: domain };
    const { result } = await evaluate({ ip: address, ...sender, now }, published);
    return result === 'temperror' ? { unpredictable: 'spf-lookup-failed' } : { result };
  }

  return {
    expansion,
    predict(address) {
      const prediction = known.get(address);
      if (prediction !== undefined) return prediction;
      const pending = predict(address).then((settled) => {
        known.set(address, settled);
        return settled;
      });
      known.set(address, pending);
      return pending;
    },
  };
}

/** The same DNS with `record` as the only TXT record of `domain`. */
function withRecord(dns: Dns, domain: string, record: string): Dns {
  const zone: { readonly [T in RecordType]?: ReadonlyMap<string, readonly RecordData[T][]> } = {
    TXT: new Map([[domain, [record]]]),
  };
  return {
    async lookup<T extends RecordType>(
      name: string,
      type: T,
      options?: LookupOptions,
    ): Promise<Answer<RecordData[T]>> {
      const found = zone[type]?.get(name);
      if (found === undefined) return dns.lookup(name, type, options);
      const evidence = { milliseconds: 0 };
      return { status: 'found', records: found, name, aliases: [], ttl: 0, sets: [], evidence };
    },
  };
}

/** RFC 7208 section 4.6.4; the findings of an expansion state the same limits for clients that match nothing. */
function exceedsLimits({ totalLookupCount, voidLookupCount }: Expansion): boolean {
  return (
    totalLookupCount > MAX_LOOKUPS || Math.max(voidLookupCount.ip4, voidLookupCount.ip6) > MAX_VOID_LOOKUPS
  );
}

/** The lookups of one evaluation so far. */
interface Spent {
  lookups: number;
  voidLookups: number;
}

/** `evaluate`: a term has to be evaluated for the address. */
type Verdict = SpfResultName | 'evaluate';

type Matcher = (client: IpAddress, spent: Spent) => Verdict;

/** A term: whether it matches, or the verdict that ends the evaluation. */
type TermMatcher = (client: IpAddress, spent: Spent) => boolean | Verdict;

/** check_host() of RFC 7208 section 4, on a record whose lookups are done. */
function matcherOf(node: ResolvedRecord): Matcher {
  if (node.state === 'unavailable') return () => 'temperror';
  if (node.problem === 'no-record') return () => 'none';
  if (node.problem !== undefined || node.terms.some(({ kind }) => kind === 'invalid'))
    return () => 'permerror';
  const terms = termsOf(node)
    .filter(({ term }) => term.ignored === undefined)
    .filter(({ term }) => term.kind === 'redirect' || term.qualifier !== null)
    .map(({ term, child }) => ({ term, matches: termMatcher(term, child) }));
  return (client, spent) => {
    for (const { term, matches } of terms) {
      const match = matches(client, spent);
      if (typeof match === 'string') return match;
      if (match) return term.result ?? 'neutral';
    }
    return 'neutral';
  };
}

function termMatcher(term: ExpandedTerm, child: ResolvedRecord | undefined): TermMatcher {
  const own = ownMatcher(term, child);
  return (client, spent) => {
    spent.lookups += term.lookups;
    if (spent.lookups > MAX_LOOKUPS) return 'permerror';
    if (term.dependsOnMessage || term.kind === 'ptr') return 'evaluate';
    if (term.voidFor?.includes(client.family)) spent.voidLookups += 1;
    return spent.voidLookups > MAX_VOID_LOOKUPS ? 'permerror' : own(client, spent);
  };
}

function ownMatcher(term: ExpandedTerm, child: ResolvedRecord | undefined): TermMatcher {
  if (term.kind === 'all') return () => true;
  if (term.kind === 'include' || term.kind === 'redirect') {
    const inner: Matcher = child === undefined ? () => 'none' : matcherOf(child);
    return (client, spent) => {
      const verdict = inner(client, spent);
      // RFC 7208 sections 5.2 and 6.1.
      if (verdict === 'none') return 'permerror';
      if (term.kind === 'redirect' || ['permerror', 'temperror', 'evaluate'].includes(verdict))
        return verdict;
      return verdict === 'pass';
    };
  }
  if (term.kind === 'exists' && term.state === 'found') return () => true;
  const networks = ipSet(term.matches.flatMap((network) => parsePrefix(network) ?? []));
  return (client) => {
    if (term.tooManyNames !== undefined) return 'permerror';
    if (includes(networks, client)) return true;
    return term.unavailable === undefined ? false : 'temperror';
  };
}
