/**
 * The DNS lookups of a record and its terms, and the conclusions from the answers, shared by the evaluation of messages
 * and the expansion of records. An evaluation looks up one address family and stops at the first match; an expansion
 * looks up both families for all terms.
 */
import { type Answer, type Dns, whyFailed } from '../dns.ts';
import { canonicalName, isLookupName } from '../domain-name.ts';
import { type IpFamily, type IpPrefix, parseIp, prefixOf } from '../ip.ts';
import { MAX_MX_NAMES, MAX_NAME } from './limits.ts';
import { expandMacros, type MacroLetter, type MacroString, macroLetters } from './macro.ts';
import {
  type All,
  type Exists,
  type HostMechanism,
  type Include,
  isSpfRecord,
  type NamedModifier,
  type NetworkMechanism,
  type Ptr,
  parseRecord,
  resemblesSpfRecord,
  type SpfRecord,
  type Term,
} from './record.ts';

/** The SPF record of a name (RFC 7208 section 4.5). */
export type Policy =
  | { readonly status: 'found'; readonly record: SpfRecord; readonly lookalikes: readonly string[] }
  | { readonly status: 'multiple'; readonly texts: readonly string[] }
  | { readonly status: 'absent'; readonly lookalikes: readonly string[] }
  | { readonly status: 'unavailable'; readonly failure: string };

/**
 * Looks up the SPF record of a name. Names of a single label and address literals have none (RFC 7208 section 4.3).
 */
export async function lookupPolicy(dns: Dns, domain: string): Promise<Policy> {
  if (!isLookupName(domain) || !domain.includes('.') || domain.startsWith('['))
    return { status: 'absent', lookalikes: [] };
  const answer = await dns.lookup(canonicalName(domain), 'TXT');
  if (answer.status === 'unavailable') return { status: 'unavailable', failure: whyFailed(answer) };
  if (answer.status === 'absent') return { status: 'absent', lookalikes: [] };
  const [text, ...others] = answer.records.filter(isSpfRecord);
  if (text !== undefined && others.length > 0) return { status: 'multiple', texts: [text, ...others] };
  const lookalikes = answer.records.filter(resemblesSpfRecord);
  if (text === undefined) return { status: 'absent', lookalikes };
  return { status: 'found', record: parseRecord(text), lookalikes };
}

/** Terms that cause DNS lookups when they are evaluated (RFC 7208 section 4.6.4). */
export type Query = Include | Exists | HostMechanism | Ptr | (NamedModifier & { readonly kind: 'redirect' });

const QUERIES: ReadonlySet<Term['kind']> = new Set(['include', 'exists', 'a', 'mx', 'ptr', 'redirect']);

export function isQuery(term: Term): term is Query {
  return QUERIES.has(term.kind);
}

/** How many of the ten lookups a term uses: one for its own query, one for `%{p}` (RFC 7208 section 4.6.4). */
export function lookupCost(term: Term): number {
  if (!isQuery(term)) return 0;
  return term.domain !== undefined && macroLetters(term.domain).has('p') ? 2 : 1;
}

/**
 * The name that a domain-spec expands to, without trailing dot. If it is too long, labels on the left are removed (RFC
 * 7208 section 7.3). Undefined if it is not a valid DNS name.
 */
export function targetName(spec: MacroString, value: (letter: MacroLetter) => string): string | undefined {
  const expanded = expandMacros(spec, value);
  const rooted = expanded.endsWith('.') ? expanded.slice(0, -1) : expanded;
  // A name that is too long is cut after the first dot that makes it short enough.
  const end = rooted.slice(-(MAX_NAME + 1));
  const name = end.length > MAX_NAME ? end.slice(end.indexOf('.') + 1) : end;
  return isLookupName(name) ? name : undefined;
}

export type LookupStatus = 'found' | 'absent' | 'unavailable';

/** One query, such as `mx.example.org A`, for clients of one address family. */
interface OwnQuery {
  readonly question: string;
  readonly family: IpFamily;
  readonly status: LookupStatus;
  /** Why the lookup failed, if it did. */
  readonly failure?: string;
}

/** One address lookup, and the networks that its mechanism derives from it. */
interface HostNetworks extends OwnQuery {
  readonly host: string;
  readonly networks: readonly IpPrefix[];
}

/** Which clients a mechanism matches. */
export interface Designation {
  /** The mechanism's own query, by client address family. `absent` is a void lookup (RFC 7208 section 4.6.4). */
  readonly own: readonly OwnQuery[];
  /** In the order in which they are to be compared. */
  readonly hosts: readonly HostNetworks[];
  /** The number of MX records, if it exceeds the limit. They are not looked up then: permerror. */
  readonly tooManyNames?: number;
}

/** Mechanisms whose matches do not depend on the client, given their name. */
type AddressMechanism = All | NetworkMechanism | HostMechanism | Exists;

/** Determines which clients of `families` a mechanism with this target matches (RFC 7208 sections 5.1 to 5.7). */
export async function designate(
  dns: Dns,
  mechanism: AddressMechanism,
  target: string,
  families: readonly IpFamily[],
): Promise<Designation> {
  const name = canonicalName(target);
  switch (mechanism.kind) {
    case 'all':
      return { own: [], hosts: everything(families) };
    case 'ip4':
    case 'ip6': {
      const { network } = mechanism;
      const { family } = network;
      return { own: [], hosts: [{ question: '', host: '', family, status: 'found', networks: [network] }] };
    }
    case 'exists': {
      // The record type is A for clients of both families (RFC 7208 section 5.7).
      const answer = await dns.lookup(name, 'A');
      const own = families.map((family) => ({ question: `${name} A`, family, ...statusOf(answer) }));
      return { own, hosts: answer.status === 'found' ? everything(families) : [] };
    }
    case 'a': {
      const hosts = await lookupHosts(dns, mechanism, [name], families);
      return { own: hosts, hosts };
    }
    case 'mx': {
      const answer = await dns.lookup(name, 'MX');
      const own = families.map((family) => ({ question: `${name} MX`, family, ...statusOf(answer) }));
      if (answer.status !== 'found') return { own, hosts: [] };
      if (answer.records.length > MAX_MX_NAMES)
        return { own, hosts: [], tooManyNames: answer.records.length };
      const names = answer.records.map(({ exchange }) => canonicalName(exchange)).filter(isLookupName);
      return { own, hosts: await lookupHosts(dns, mechanism, names, families) };
    }
  }
}

function statusOf(answer: Answer<unknown>): Pick<OwnQuery, 'status' | 'failure'> {
  const { status } = answer;
  return status === 'unavailable' ? { status, failure: whyFailed(answer) } : { status };
}

function everything(families: readonly IpFamily[]): HostNetworks[] {
  return families.map((family) => ({
    question: '',
    host: '',
    family,
    status: 'found',
    networks: [{ family, value: 0n, length: 0 }],
  }));
}

async function lookupHosts(
  dns: Dns,
  mechanism: HostMechanism,
  hosts: readonly string[],
  families: readonly IpFamily[],
): Promise<HostNetworks[]> {
  const wanted = hosts.flatMap((host) => families.map((family) => ({ host, family })));
  return Promise.all(
    wanted.map(async ({ host, family }) => {
      const type = family === 4 ? 'A' : 'AAAA';
      const answer = await dns.lookup(host, type);
      const addresses =
        answer.status === 'found' ? answer.records.flatMap((text) => parseIp(text) ?? []) : [];
      const networks = addresses.map((address) => prefixOf(address, mechanism.lengths[family]));
      return { question: `${host} ${type}`, host, family, ...statusOf(answer), networks };
    }),
  );
}
