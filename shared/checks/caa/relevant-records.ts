/** Finds the CAA records that apply to a name (RFC 8659 section 3). */
import { type CaaRecord, type Dns, whyFailed } from '../../protocol/dns.ts';
import { parentName } from '../../protocol/dnssec/canonical.ts';

export type RelevantRecords =
  | {
      readonly status: 'found';
      /** Their owner: the name itself, a name above it, or what one of them is an alias of. */
      readonly at: string;
      readonly records: readonly CaaRecord[];
    }
  | { readonly status: 'none' }
  | { readonly status: 'unavailable'; readonly at: string; readonly reason: string };

/** Names to look up for one check run: ten MX hosts of three labels below ten domains, and what else serves certificates. */
const MAX_NAMES = 40;

/**
 * Returns a function that climbs from a name towards the root until there are CAA records, and looks each name up once. An
 * alias is followed at each name, but its target is not climbed from: RFC 6844 did so, RFC 8659 does not.
 */
export function recordFinder(dns: Dns): (name: string) => Promise<RelevantRecords> {
  const sought = new Map<string, Promise<RelevantRecords>>();
  return find;

  async function find(name: string): Promise<RelevantRecords> {
    if (name === '') return { status: 'none' };
    const found = sought.get(name) ?? climb(name);
    sought.set(name, found);
    return found;
  }

  async function climb(name: string): Promise<RelevantRecords> {
    if (sought.size >= MAX_NAMES) return { status: 'unavailable', at: name, reason: 'lookup-limit' };
    const answer = await dns.lookup(name, 'CAA');
    if (answer.status === 'unavailable')
      return { status: 'unavailable', at: name, reason: whyFailed(answer) };
    return answer.status === 'absent'
      ? find(parentName(name))
      : { status: 'found', at: answer.name, records: answer.records };
  }
}
