/** Checks whether the sending IP address, and the domains of a message, are on DNS blocklists (RFC 5782). */
import type { Dns } from '../protocol/dns.ts';
import { organizationalDomain } from '../protocol/domain-name.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { addressLabels, type IpAddress, parseIp } from '../protocol/ip.ts';
import {
  type BlocklistRole,
  publicBlocklists,
  publicDomainBlocklists,
  testDomain,
} from './blocklist-zones.ts';

/** What one list says. */
interface Listing {
  /** The queried zone, such as `zen.spamhaus.org`. For a private zone, its organizational domain. */
  readonly zone: string;
  /** Null if unknown. */
  readonly listed: boolean | null;
  /** The return codes of a listing, such as `127.0.0.2`; each list defines its own meanings. */
  readonly codes: readonly string[];
  /** The reason that the list gives, in its own words. */
  readonly reason: string | null;
  /**
   * Why `listed` is unknown. `broken`: the list returns invalid answers, for example it lists every address.
   * `no-test-entry`: the list has no entries, not even the test entry of RFC 5782. `no-ipv6`: it covers IPv4 only.
   */
  readonly unknown: 'refused' | 'broken' | 'no-test-entry' | 'no-ipv6' | 'no-answer' | 'no-address' | null;
}

export interface BlocklistResult extends Listing {
  readonly list: BlocklistRole;
}

export interface DomainBlocklistResult extends Listing {
  readonly domain: string;
}

export interface Blocklists {
  /** The number of lists that contain the address. */
  readonly listed: number;
  readonly results: readonly BlocklistResult[];
}

export interface DomainBlocklists {
  /** The number of domains that are on a list. */
  readonly listed: number;
  readonly results: readonly DomainBlocklistResult[];
}

const mapped = (octet: bigint): IpAddress => ({ family: 6, value: 0xffff_7f00_0000n + octet });

/** The test addresses: one that every working list contains, and one that no list may contain (RFC 5782 section 5). */
const testPoints: Readonly<Record<IpAddress['family'], readonly [always: IpAddress, never: IpAddress]>> = {
  4: [
    { family: 4, value: 0x7f00_0002n },
    { family: 4, value: 0x7f00_0001n },
  ],
  6: [mapped(2n), mapped(1n)],
};

const MAX_CODES = 10;
const MAX_REASON = 200;

/** Queries all lists in parallel. A list that refuses, is broken, or does not answer yields unknown, not a listing. */
export async function inspectBlocklists(
  ip: string | null,
  zones: ReadonlyMap<BlocklistRole, string>,
  dns: Dns,
): Promise<Blocklists> {
  const results = await Promise.all([...zones].map(([list, zone]) => ask(ip, list, zone, dns)));
  return { listed: results.filter(({ listed }) => listed === true).length, results };
}

/** Queries all lists for all domains, in parallel. */
export async function inspectDomainBlocklists(
  domains: readonly string[],
  zones: readonly string[],
  dns: Dns,
): Promise<DomainBlocklists> {
  const results = await Promise.all(
    domains.flatMap((domain) =>
      zones.map(async (zone) => {
        const entries = { label: domain, always: testDomain(zone), never: NEVER_LISTED };
        return { domain, ...(await listingOf(entries, zone, dns, refusesDomain, 'no-test-entry')) };
      }),
    ),
  );
  const listed = new Set(results.filter((result) => result.listed === true).map(({ domain }) => domain));
  return { listed: listed.size, results };
}

/** The domain that no list of domains may contain (RFC 5782 section 5). */
const NEVER_LISTED = 'invalid';

async function ask(ip: string | null, list: BlocklistRole, zone: string, dns: Dns): Promise<BlocklistResult> {
  const address = parseIp(ip ?? '');
  if (address === undefined) return { list, ...unknownListing(zone, 'no-address') };
  const [always, never] = testPoints[address.family];
  const entries = { label: reversed(address), always: reversed(always), never: reversed(never) };
  // A list that has shut down, blocks this resolver, or lacks this address family cannot clear an address.
  const empty = address.family === 4 ? 'no-test-entry' : 'no-ipv6';
  return { list, ...(await listingOf(entries, zone, dns, () => false, empty)) };
}

/** What stands before the zone: the subject, the entry that every list has, and the one that none may have. */
interface Entries {
  readonly label: string;
  readonly always: string;
  readonly never: string;
}

async function listingOf(
  { label, always, never }: Entries,
  zone: string,
  dns: Dns,
  refuses: (code: string) => boolean,
  empty: NonNullable<Listing['unknown']>,
): Promise<Listing> {
  const unknown = (why: NonNullable<Listing['unknown']>) => unknownListing(zone, why);
  const [answer, alive] = await Promise.all([
    query(label, zone, dns, refuses),
    query(always, zone, dns, refuses),
  ]);
  if (typeof answer === 'string') return unknown(answer);
  if (answer.codes.length === 0) {
    if (typeof alive === 'string') return unknown(alive);
    if (alive.codes.length === 0) return unknown(empty);
    return { ...unknown(empty), listed: false, unknown: null };
  }
  const [text, everything] = await Promise.all([
    dns.lookup(answer.name, 'TXT'),
    query(never, zone, dns, refuses),
  ]);
  if (everything === 'broken' || (typeof everything === 'object' && everything.codes.length > 0))
    return unknown('broken');
  return {
    zone: shownZone(zone),
    listed: true,
    codes: answer.codes.slice(0, MAX_CODES),
    reason: text.status === 'found' ? excerpt(text.records.join(' '), MAX_REASON) : null,
    unknown: null,
  };
}

function unknownListing(zone: string, unknown: NonNullable<Listing['unknown']>): Listing {
  return { zone: shownZone(zone), listed: null, codes: [], reason: null, unknown };
}

function reversed(address: IpAddress): string {
  return addressLabels(address).reverse().join('.').toLowerCase();
}

/** SURBL and URIBL answer 127.0.0.1 to resolvers that they refuse, and Spamhaus 127.0.1.255 to queries for addresses. */
function refusesDomain(code: string): boolean {
  return code === '127.0.0.1' || code === '127.0.1.255';
}

/** The zone if it is public; otherwise its organizational domain, because the labels before it can be a secret key. */
function shownZone(zone: string): string {
  const known = [...Object.values(publicBlocklists), ...publicDomainBlocklists];
  return known.includes(zone) ? zone : organizationalDomain(zone);
}

/** The return codes of a listing (empty if not listed), or why the answer is unknown. */
async function query(
  label: string,
  zone: string,
  dns: Dns,
  refuses: (code: string) => boolean,
): Promise<{ name: string; codes: readonly string[] } | 'refused' | 'broken' | 'no-answer'> {
  const name = `${label}.${zone}`;
  const answer = await dns.lookup(name, 'A');
  if (answer.status === 'unavailable') return 'no-answer';
  if (answer.status === 'absent') return { name, codes: [] };
  const { records } = answer;
  if (records.some((code) => code.startsWith('127.255.255.') || refuses(code))) return 'refused';
  // An abandoned zone often answers every query with the address of a web server.
  if (records.some((code) => !code.startsWith('127.') || code === '127.0.0.1')) return 'broken';
  return { name, codes: records };
}
