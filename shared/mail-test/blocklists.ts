/** Whether the sending address is on DNS blocklists (RFC 5782). */
import type { Dns } from '../protocol/dns.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { addressLabels, parseIp } from '../protocol/ip.ts';

export type BlocklistRole = 'combined' | 'openrelay' | 'reputation' | 'userreported';

export interface BlocklistResult {
  readonly list: BlocklistRole;
  /** The zone that was asked, such as `zen.spamhaus.org`. */
  readonly zone: string;
  /** Null where it is not known. */
  readonly listed: boolean | null;
  /** The codes of a listing, such as `127.0.0.2`; what they mean is the list's own. */
  readonly codes: readonly string[];
  /** What the list says of a listing, in its words. */
  readonly reason: string | null;
  /** Why it is not known. */
  readonly unknown: 'refused' | 'broken' | 'no-answer' | 'no-address' | null;
}

export interface Blocklists {
  /** On how many lists the address is. */
  readonly listed: number;
  readonly results: readonly BlocklistResult[];
}

const MAX_CODES = 10;
const MAX_REASON = 200;

/** Asks all lists at once. A list that refuses, is broken or does not answer is unknown, which is no listing. */
export async function inspectBlocklists(
  ip: string | null,
  zones: ReadonlyMap<BlocklistRole, string>,
  dns: Dns,
): Promise<Blocklists> {
  const results = await Promise.all([...zones].map(([list, zone]) => ask(ip, list, zone, dns)));
  return { listed: results.filter(({ listed }) => listed === true).length, results };
}

async function ask(ip: string | null, list: BlocklistRole, zone: string, dns: Dns): Promise<BlocklistResult> {
  const unknown = (why: BlocklistResult['unknown']): BlocklistResult => ({
    list,
    zone,
    listed: null,
    codes: [],
    reason: null,
    unknown: why,
  });
  const address = parseIp(ip ?? '');
  if (address === undefined) return unknown('no-address');
  const name = `${addressLabels(address).reverse().join('.').toLowerCase()}.${zone}`;
  const answer = await dns.lookup(name, 'A');
  if (answer.status === 'unavailable') return unknown('no-answer');
  if (answer.status === 'absent') return { ...unknown(null), listed: false };
  const { records } = answer;
  if (records.some((code) => code.startsWith('127.255.255.'))) return unknown('refused');
  // A zone that has gone answers everything, mostly with the address of a web server.
  if (records.some((code) => !code.startsWith('127.') || code === '127.0.0.1')) return unknown('broken');
  const text = await dns.lookup(name, 'TXT');
  return {
    list,
    zone,
    listed: true,
    codes: records.slice(0, MAX_CODES),
    reason: text.status === 'found' ? excerpt(text.records.join(' '), MAX_REASON) : null,
    unknown: null,
  };
}
