/** The record sets that an answer depends on. */
import type { Absent, Found, RecordSet } from '../dns.ts';
import { isWithin } from '../domain-name.ts';
import { nameToWire } from './canonical.ts';

/** More than any legitimate CNAME chain has. */
const MAX_SETS = 20;

/**
 * The record sets of an answer: the records themselves, if there are any, and each CNAME record of the chain. A CNAME
 * record synthesized from a signed DNAME is not signed itself (RFC 6672 section 5.3.1): the DNAME takes its place.
 * Undefined if a record set is missing, for example because the lookup did not request signatures.
 */
export function setsOfAnswer(answer: Found<unknown> | Absent): RecordSet[] | undefined {
  const sets = answer.status === 'found' ? answer.sets : answer.denial?.sets;
  if (sets === undefined) return undefined;
  const owners = new Set([...answer.aliases, ...(answer.status === 'found' ? [answer.name] : [])]);
  const needed = sets
    .filter(({ name, type }) => owners.has(name) && !isBeside(type))
    .filter(({ name, type }) => (type === 'CNAME') === answer.aliases.includes(name))
    .map((set) => (set.type === 'CNAME' && set.signatures.length === 0 ? (dnameFor(set, sets) ?? set) : set));
  return needed.length < owners.size || needed.length > MAX_SETS ? undefined : needed;
}

/** Sets that come with the records, but are not what was queried. */
function isBeside(type: string): boolean {
  return type === 'DNAME' || type === 'NSEC' || type === 'NSEC3';
}

function dnameFor(cname: RecordSet, sets: readonly RecordSet[]): RecordSet | undefined {
  return sets.find((set) => {
    if (set.type !== 'DNAME' || cname.name === set.name || !isWithin(cname.name, set.name)) return false;
    const prefix = nameToWire(cname.name.slice(0, -set.name.length - 1));
    const [target] = cname.rdata;
    const [substitute] = set.rdata;
    if (prefix === undefined || target === undefined || substitute === undefined) return false;
    return Buffer.concat([prefix.subarray(0, -1), substitute]).equals(target);
  });
}
