/** What NSEC records prove (RFC 4034 section 4, RFC 4035 section 5.4, RFC 6840 section 4). */
import type { RecordSet } from '../dns.ts';
import { MalformedMessage, readName } from '../wire-name.ts';
import { compareLabels, isBelow, type Labels, labelsOf, sharedLabels, wildcardOf } from './names.ts';
import { noData, noName, type Proof, type Question, unproven } from './proof.ts';
import { isDelegation, readTypes, type TypesAtName } from './type-bitmap.ts';

interface Nsec {
  readonly owner: Labels;
  readonly next: Labels;
  readonly types: TypesAtName;
}

/** The NSEC records of a set; without those that are malformed. */
export function readNsec({ name, rdata }: RecordSet): Nsec[] {
  const owner = labelsOf(name);
  return rdata.flatMap((octets) => {
    try {
      const { name: nextName, next: end } = readName(octets, 0);
      const next = labelsOf(nextName);
      const types = readTypes(octets.subarray(end));
      return owner === undefined || next === undefined || types === undefined ? [] : [{ owner, next, types }];
    } catch (error) {
      if (error instanceof MalformedMessage) return [];
      throw error;
    }
  });
}

/** Whether the records of `zone` prove that a name has no record of a type, or does not exist (RFC 4035 section 5.4). */
export function proveByNsec(records: readonly Nsec[], zone: Labels, { name, type }: Question): Proof {
  const own = records.find(({ owner }) => compareLabels(owner, name) === 0);
  if (own !== undefined) return noData(own.types, type, name);
  const gap = records.find((record) => covers(record, zone, name));
  if (gap === undefined) return unproven;
  // An empty non-terminal: it has no records, but names below it have.
  if (isBelow(gap.next, name)) return { ...noName, absence: 'no-data' };
  const wildcard = wildcardOf(encloserOf(gap, name));
  const source = records.find(({ owner }) => compareLabels(owner, wildcard) === 0);
  if (source !== undefined) return noData(source.types, type, wildcard);
  return records.some((record) => covers(record, zone, wildcard)) ? noName : unproven;
}

/** Whether the records prove that nothing is closer to `name` than the wildcard below its top `labels` labels. */
export function provesExpansionByNsec(
  records: readonly Nsec[],
  zone: Labels,
  name: Labels,
  labels: number,
): boolean {
  const gap = records.find((record) => covers(record, zone, name));
  return gap !== undefined && !isBelow(gap.next, name) && encloserOf(gap, name).length === labels;
}

/**
 * Whether there is no name between the owner and the next name, except below `name` itself. The parent zone says nothing
 * about names below a delegation, and a DNAME redirects those below it (RFC 6840 section 4.1).
 */
function covers({ owner, next, types }: Nsec, zone: Labels, name: Labels): boolean {
  if (!isBelow(owner, zone) || compareLabels(owner, name) >= 0) return false;
  const isLast = compareLabels(next, zone) === 0;
  if (!isLast && compareLabels(name, next) >= 0) return false;
  return !(isBelow(name, owner) && (isDelegation(types) || types.has('DNAME')));
}

/** The closest ancestor of `name` that exists (RFC 4592 section 3.3.1): it has the owner or the next name below it. */
function encloserOf({ owner, next }: Nsec, name: Labels): Labels {
  return name.slice(0, Math.max(sharedLabels(owner, name), sharedLabels(next, name)));
}
