/** Checks whether the sending IP address is on DNS blocklists (RFC 5782). */
import type { Dns } from '../protocol/dns.ts';
import { organizationalDomain } from '../protocol/domain-name.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { addressLabels, type IpAddress, parseIp } from '../protocol/ip.ts';
import { type BlocklistRole, publicBlocklists } from './blocklist-zones.ts';

export interface BlocklistResult {
  readonly list: BlocklistRole;
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

export interface Blocklists {
  /** The number of lists that contain the address. */
  readonly listed: number;
  readonly results: readonly BlocklistResult[];
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

async function ask(ip: string | null, list: BlocklistRole, zone: string, dns: Dns): Promise<BlocklistResult> {
  const named = { list, zone: shownZone(zone) };
  const unknown = (why: BlocklistResult['unknown']): BlocklistResult => ({
    ...named,
    listed: null,
    codes: [],
    reason: null,
    unknown: why,
  });
  const address = parseIp(ip ?? '');
  if (address === undefined) return unknown('no-address');
  const [always, never] = testPoints[address.family];
  const [answer, alive] = await Promise.all([query(address, zone, dns), query(always, zone, dns)]);
  if (typeof answer === 'string') return unknown(answer);
  if (answer.codes.length === 0) {
    if (typeof alive === 'string') return unknown(alive);
    // A list that has shut down, blocks this resolver, or lacks this address family cannot clear an address.
    if (alive.codes.length === 0) return unknown(address.family === 4 ? 'no-test-entry' : 'no-ipv6');
    return { ...unknown(null), listed: false };
  }
  const [text, everything] = await Promise.all([dns.lookup(answer.name, 'TXT'), query(never, zone, dns)]);
  if (everything === 'broken' || (typeof everything === 'object' && everything.codes.length > 0))
    return unknown('broken');
  return {
    ...named,
    listed: true,
    codes: answer.codes.slice(0, MAX_CODES),
    reason: text.status === 'found' ? excerpt(text.records.join(' '), MAX_REASON) : null,
    unknown: null,
  };
}

/** The zone if it is public; otherwise its organizational domain, because the labels before it can be a secret key. */
function shownZone(zone: string): string {
  return Object.values(publicBlocklists).includes(zone) ? zone : organizationalDomain(zone);
}

/** The return codes of a listing (empty if not listed), or why the answer is unknown. */
async function query(
  address: IpAddress,
  zone: string,
  dns: Dns,
): Promise<{ name: string; codes: readonly string[] } | 'refused' | 'broken' | 'no-answer'> {
  const name = `${addressLabels(address).reverse().join('.').toLowerCase()}.${zone}`;
  const answer = await dns.lookup(name, 'A');
  if (answer.status === 'unavailable') return 'no-answer';
  if (answer.status === 'absent') return { name, codes: [] };
  const { records } = answer;
  if (records.some((code) => code.startsWith('127.255.255.'))) return 'refused';
  // An abandoned zone often answers every query with the address of a web server.
  if (records.some((code) => !code.startsWith('127.') || code === '127.0.0.1')) return 'broken';
  return { name, codes: records };
}
