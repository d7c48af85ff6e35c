/** Where a name is in the tree of zones, as unvalidated answers say. */
import { type Answer, type Dns, type RecordSet, type RecordType, whyFailed } from '../dns.ts';
import { parentName } from './canonical.ts';
import type { Reason } from './reasons.ts';

/** Labels to walk to find a zone. */
const MAX_LABELS = 16;

type EnclosingZone =
  | { readonly status: 'found'; readonly name: string }
  | { readonly status: 'unknown'; readonly reason: Extract<Reason, { code: 'unavailable' | 'too-deep' }> };

/** The zone that contains `name`: the name itself or its closest ancestor with an SOA record of its own. */
export async function enclosingZone(dns: Dns, name: string): Promise<EnclosingZone> {
  let candidate = name;
  for (let walked = 0; walked < MAX_LABELS; walked += 1) {
    if (candidate === '') return { status: 'found', name: '' };
    const soa = await dns.lookup(candidate, 'SOA', { dnssec: true, checkingDisabled: true });
    if (soa.status === 'unavailable') {
      const reason = whyFailed(soa);
      return { status: 'unknown', reason: { code: 'unavailable', name: candidate, type: 'SOA', reason } };
    }
    if (soa.status === 'found' && soa.aliases.length === 0) return { status: 'found', name: candidate };
    candidate = parentName(candidate);
  }
  return { status: 'unknown', reason: { code: 'too-deep', name } };
}

/** The record set in an answer whose owner is `name` itself. */
export function setOf(answer: Answer<unknown>, name: string, type: RecordType): RecordSet | undefined {
  if (answer.status !== 'found') return undefined;
  return answer.sets.find((set) => set.name === name && set.type === type);
}
