/**
 * What a record and its terms ask the DNS, and what follows from the answers: the part that evaluating a message
 * and expanding a record have in common. An evaluator asks for one family and stops at the first match; an
 * expansion asks for both and looks at everything.
 */
import type { Dns } from '../dns.ts';
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
  | { readonly status: 'unavailable' };

/**
 * Looks for the record of a name; none is at what is no name of several labels, such as an address literal (RFC 7208
 * section 4.3).
 */
export async function lookupPolicy(dns: Dns, domain: string): Promise<Policy> {
  if (!isLookupName(domain) || !domain.includes('.') || domain.startsWith('['))
    return { status: 'absent', lookalikes: [] };
  const answer = await dns.lookup(canonicalName(domain), 'TXT');
  if (answer.status === 'unavailable') return { status: 'unavailable' };
  if (answer.status === 'absent') return { status: 'absent', lookalikes: [] };
  const [text, ...others] = answer.records.filter(isSpfRecord);
  if (text !== undefined && others.length > 0) return { status: 'multiple', texts: [text, ...others] };
  const lookalikes = answer.records.filter(resemblesSpfRecord);
  if (text === undefined) return { status: 'absent', lookalikes };
  return { status: 'found', record: parseRecord(text), lookalikes };
}

/** Terms that make queries when they are evaluated (RFC 7208 section 4.6.4). */
export type Query = Include | Exists | HostMechanism | Ptr | (NamedModifier & { readonly kind: 'redirect' });

const QUERIES: ReadonlySet<Term['kind']> = new Set(['include', 'exists', 'a', 'mx', 'ptr', 'redirect']);

export function isQuery(term: Term): term is Query {
  return QUERIES.has(term.kind);
}

/** How much a term spends of the ten look-ups: one for its own query, one for `%{p}` (RFC 7208 section 4.6.4). */
export function lookupCost(term: Term): number {
  if (!isQuery(term)) return 0;
  return term.domain !== undefined && macroLetters(term.domain).has('p') ? 2 : 1;
}

/**
 * The name that a domain-spec comes to: without trailing dot, and where it is too long without as many labels on
 * the left as it takes (RFC 7208 section 7.3). Undefined where it is no name that the DNS could hold.
 */
export function targetName(spec: MacroString, value: (letter: MacroLetter) => string): string | undefined {
  const expanded = expandMacros(spec, value);
  const rooted = expanded.endsWith('.') ? expanded.slice(0, -1) : expanded;
  // Where the name fits there is nothing to cut; else it goes on behind the first dot from which on it does.
  const end = rooted.slice(-(MAX_NAME + 1));
  const name = end.length > MAX_NAME ? end.slice(end.indexOf('.') + 1) : end;
  return isLookupName(name) ? name : undefined;
}

export type LookupStatus = 'found' | 'absent' | 'unavailable';

/** One query, as `mx.example.org A`, for clients of one family. */
export interface OwnQuery {
  readonly question: string;
  readonly family: IpFamily;
  readonly status: LookupStatus;
}

/** One look-up of addresses, and the networks that its mechanism makes of them. */
export interface HostNetworks extends OwnQuery {
  readonly host: string;
  readonly networks: readonly IpPrefix[];
}

/** Which clients a mechanism matches. */
export interface Designation {
  /** The mechanism's own query, by family of client: an `absent` one is a void look-up (RFC 7208 section 4.6.4). */
  readonly own: readonly OwnQuery[];
  /** In the order in which they are to be compared. */
  readonly hosts: readonly HostNetworks[];
  /** An `mx` with more names than may be looked up, which are therefore not: permerror. */
  readonly tooManyNames?: number;
}

/** Mechanisms whose matches do not depend on the client once their name is known. */
export type AddressMechanism = All | NetworkMechanism | HostMechanism | Exists;

/** Finds out which clients of `families` a mechanism with this target matches (RFC 7208 sections 5.1 to 5.7). */
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
      // The type is A for clients of both families (RFC 7208 section 5.7).
      const { status } = await dns.lookup(name, 'A');
      const own = families.map((family) => ({ question: `${name} A`, family, status }));
      return { own, hosts: status === 'found' ? everything(families) : [] };
    }
    case 'a': {
      const hosts = await lookupHosts(dns, mechanism, [name], families);
      return { own: hosts, hosts };
    }
    case 'mx': {
      const answer = await dns.lookup(name, 'MX');
      const own = families.map((family) => ({ question: `${name} MX`, family, status: answer.status }));
      if (answer.status !== 'found') return { own, hosts: [] };
      if (answer.records.length > MAX_MX_NAMES)
        return { own, hosts: [], tooManyNames: answer.records.length };
      const names = answer.records.map(({ exchange }) => canonicalName(exchange)).filter(isLookupName);
      return { own, hosts: await lookupHosts(dns, mechanism, names, families) };
    }
  }
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
      return { question: `${host} ${type}`, host, family, status: answer.status, networks };
    }),
  );
}
