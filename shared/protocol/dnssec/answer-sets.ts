/** The record sets that an answer depends on. */
import type { Found, RecordSet } from '../dns.ts';
import { isWithin } from '../domain-name.ts';
import { nameToWire } from './canonical.ts';

/** More than any legitimate CNAME chain has. */
const MAX_SETS = 20;

/**
 * The record sets of an answer: the records themselves and each CNAME record of the chain. A CNAME record synthesized
 * from a signed DNAME is not signed itself (RFC 6672 section 5.3.1): the DNAME takes its place. Undefined if a record
 * set is missing, for example because the lookup did not request signatures.
 */
export function setsOfAnswer(found: Found<unknown>): RecordSet[] | undefined {
  const owners = new Set([...found.aliases, found.name]);
  const sets = found.sets
    .filter((set) => owners.has(set.name) && (set.type === 'CNAME') === found.aliases.includes(set.name))
    .map((set) =>
      set.type === 'CNAME' && set.signatures.length === 0 ? (dnameFor(set, found) ?? set) : set,
    );
  return sets.length < owners.size || sets.length > MAX_SETS ? undefined : sets;
}

function dnameFor(cname: RecordSet, found: Found<unknown>): RecordSet | undefined {
  return found.sets.find((set) => {
    if (set.type !== 'DNAME' || cname.name === set.name || !isWithin(cname.name, set.name)) return false;
    const prefix = nameToWire(cname.name.slice(0, -set.name.length - 1));
    const [target] = cname.rdata;
    const [substitute] = set.rdata;
    if (prefix === undefined || target === undefined || substitute === undefined) return false;
    return Buffer.concat([prefix.subarray(0, -1), substitute]).equals(target);
  });
}
