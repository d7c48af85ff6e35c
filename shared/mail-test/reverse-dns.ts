/** The reverse DNS name of the sending host, and whether it resolves back to the host (RFC 1912 section 2.1). */
import type { Dns } from '../protocol/dns.ts';
import { canonicalName, isLookupName, organizationalDomain } from '../protocol/domain-name.ts';
import { formatIp, type IpAddress, parseIp, reverseName } from '../protocol/ip.ts';

export interface ReverseDns {
  /**
   * `valid`: a name that resolves back to the address and matches the HELO name. `mismatch`: a name that does not.
   * `missing`: no name. `unknown`: the lookup failed, or the address is unknown.
   */
  readonly status: 'valid' | 'mismatch' | 'missing' | 'unknown';
  /** The PTR name; if there are several, the best match. */
  readonly record: string | null;
  /** All names that were checked. */
  readonly names: readonly string[];
  /** Whether `record` resolves back to the address. */
  readonly confirmed: boolean;
  /** How `record` compares with the HELO name; null if there is nothing to compare. */
  readonly helo: 'same' | 'same-organization' | 'other' | null;
}

/** An address with more PTR names than this identifies no particular host. */
const MAX_NAMES = 10;

export async function inspectReverseDns(
  ip: string | null,
  helo: string | null,
  dns: Dns,
): Promise<ReverseDns> {
  const client = parseIp(ip ?? '');
  if (client === undefined) return nothing('unknown');
  const answer = await dns.lookup(reverseName(client), 'PTR');
  if (answer.status === 'absent') return nothing('missing');
  if (answer.status === 'unavailable') return nothing('unknown');
  const names = answer.records.slice(0, MAX_NAMES).map(canonicalName).filter(isLookupName);
  const confirmations = await Promise.all(names.map((name) => leadsTo(name, client, dns)));
  const confirmed = names.filter((_, index) => confirmations[index] === true);
  const ranks = ['same', 'same-organization', 'other'] as const;
  const [best] = confirmed
    .map((name) => ({ name, fit: fitOf(name, helo) }))
    .sort((a, b) => ranks.indexOf(a.fit) - ranks.indexOf(b.fit));
  if (best === undefined) {
    const open = confirmations.includes(null);
    return { ...nothing(open ? 'unknown' : 'mismatch'), record: names[0] ?? null, names };
  }
  return {
    status: best.fit === 'other' && helo !== null ? 'mismatch' : 'valid',
    record: best.name,
    names,
    confirmed: true,
    helo: helo === null ? null : best.fit,
  };
}

function nothing(status: ReverseDns['status']): ReverseDns {
  return { status, record: null, names: [], confirmed: false, helo: null };
}

/** Large senders use different names in HELO and PTR records, so the same organizational domain is enough. */
function fitOf(name: string, helo: string | null): 'same' | 'same-organization' | 'other' {
  const called = canonicalName(helo ?? '');
  if (name === called) return 'same';
  return organizationalDomain(name) === organizationalDomain(called) ? 'same-organization' : 'other';
}

/** Null if the lookup failed. */
async function leadsTo(name: string, client: IpAddress, dns: Dns): Promise<boolean | null> {
  const answer = await dns.lookup(name, client.family === 4 ? 'A' : 'AAAA');
  if (answer.status === 'unavailable') return null;
  if (answer.status === 'absent') return false;
  return answer.records.some((address) => {
    const parsed = parseIp(address);
    return parsed !== undefined && formatIp(parsed) === formatIp(client);
  });
}
