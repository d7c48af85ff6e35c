/** The name of the sending host by reverse DNS, and whether it is its own (RFC 1912 section 2.1). */
import type { Dns } from '../protocol/dns.ts';
import { canonicalName, isLookupName, organizationalDomain } from '../protocol/domain-name.ts';
import { formatIp, type IpAddress, parseIp, reverseName } from '../protocol/ip.ts';

export interface ReverseDns {
  /**
   * `valid`: a name that leads back to the address and fits the HELO. `mismatch`: a name that does not.
   * `missing`: no name. `unknown`: the DNS did not answer, or the address is not known.
   */
  readonly status: 'valid' | 'mismatch' | 'missing' | 'unknown';
  /** The name: of several the one that fits best. */
  readonly record: string | null;
  /** Every name that was looked at. */
  readonly names: readonly string[];
  /** Whether `record` has the address among its own. */
  readonly confirmed: boolean;
  /** How `record` compares with the HELO; null where there is nothing to compare. */
  readonly helo: 'same' | 'same-organization' | 'other' | null;
}

/** Hosts with more names than this are of no one in particular. */
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

/** Large senders call their hosts by one name of theirs and list them under another, so the organization is enough. */
function fitOf(name: string, helo: string | null): 'same' | 'same-organization' | 'other' {
  const called = canonicalName(helo ?? '');
  if (name === called) return 'same';
  return organizationalDomain(name) === organizationalDomain(called) ? 'same-organization' : 'other';
}

/** Null where the DNS did not answer. */
async function leadsTo(name: string, client: IpAddress, dns: Dns): Promise<boolean | null> {
  const answer = await dns.lookup(name, client.family === 4 ? 'A' : 'AAAA');
  if (answer.status === 'unavailable') return null;
  if (answer.status === 'absent') return false;
  return answer.records.some((address) => {
    const parsed = parseIp(address);
    return parsed !== undefined && formatIp(parsed) === formatIp(client);
  });
}
