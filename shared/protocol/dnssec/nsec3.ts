/** What NSEC3 records prove (RFC 5155 sections 3 and 8, RFC 9276). */
import { hash } from 'node:crypto';
import type { RecordSet } from '../dns.ts';
import { parentName } from './canonical.ts';
import type { Effort } from './effort.ts';
import { compareLabels, type Labels, labelsOf, wildcardOf, wireOf } from './names.ts';
import { noData, noName, type Proof, type Question, unproven } from './proof.ts';
import { isDelegation, readTypes, type TypesAtName } from './type-bitmap.ts';

interface Nsec3 {
  readonly zone: Labels;
  /** The hash of the owner name, and the next one in the zone. */
  readonly ownerHash: Buffer;
  readonly nextHash: Buffer;
  readonly optOut: boolean;
  readonly iterations: number;
  readonly salt: Buffer;
  readonly types: TypesAtName;
}

/** RFC 5155 section 11: SHA-1, the only algorithm, and its length in octets. */
const SHA1 = 1;
const HASH_OCTETS = 20;
/** RFC 5155 section 3.1.2.1. Records with other flags are ignored (section 8.2). */
const OPT_OUT = 1;
/** Above, insecure (RFC 9276 section 3.2). Appendix A names this limit as interoperable; operators can choose others. */
const MAX_ITERATIONS = 100;

/** The NSEC3 records of a set; without those that are malformed or have an unknown hash or flag (RFC 5155 section 8). */
export function readNsec3({ name, rdata }: RecordSet): Nsec3[] {
  const zone = labelsOf(parentName(name));
  const ownerHash = fromBase32Hex(labelsOf(name)?.at(-1)?.toString('latin1') ?? '');
  if (zone === undefined || ownerHash?.length !== HASH_OCTETS) return [];
  return rdata.flatMap((octets) => {
    const view = Buffer.from(octets);
    const saltEnd = 5 + (view[4] ?? 0);
    const hashEnd = saltEnd + 1 + HASH_OCTETS;
    if (view.length < hashEnd || view[0] !== SHA1 || view.readUInt8(1) > OPT_OUT) return [];
    const types = readTypes(view.subarray(hashEnd));
    if (types === undefined || view[saltEnd] !== HASH_OCTETS) return [];
    return {
      zone,
      ownerHash,
      nextHash: view.subarray(saltEnd + 1, hashEnd),
      optOut: view[1] === OPT_OUT,
      iterations: view.readUInt16BE(2),
      salt: view.subarray(5, saltEnd),
      types,
    };
  });
}

/** What the records of a zone say about hashed names. */
interface HashedZone {
  at(name: Labels): Promise<Nsec3 | undefined>;
  covering(name: Labels): Promise<Nsec3 | undefined>;
}

class BudgetSpent extends Error {}

/** Whether the records of `zone` prove what the answer says (RFC 5155 section 8). */
export function proveByNsec3(
  records: readonly Nsec3[],
  zone: Labels,
  { name, type, absence }: Question,
  effort: Effort,
): Promise<Proof> {
  return withHashes(records, zone, effort, async (hashed) => {
    const own = await hashed.at(name);
    if (own !== undefined) return noData(own.types, type, name);
    const closest = await closestEncloser(hashed, zone, name);
    if (closest === undefined) return unproven;
    const { encloser, gap } = closest;
    if (gap.optOut && absence === 'no-data') return { status: 'opt-out' };
    const wildcard = wildcardOf(encloser);
    const source = await hashed.at(wildcard);
    if (source !== undefined) return noData(source.types, type, wildcard);
    if ((await hashed.covering(wildcard)) === undefined) return unproven;
    return gap.optOut ? { status: 'opt-out' } : noName;
  });
}

/** Whether the records prove that nothing is closer to `name` than the wildcard below its top `labels` labels (section 8.8). */
export function proveExpansionByNsec3(
  records: readonly Nsec3[],
  zone: Labels,
  name: Labels,
  labels: number,
  effort: Effort,
): Promise<Proof> {
  return withHashes(records, zone, effort, async (hashed) => {
    const gap = await hashed.covering(name.slice(0, labels + 1));
    if (gap === undefined) return unproven;
    return gap.optOut ? { status: 'opt-out' } : noName;
  });
}

async function withHashes(
  all: readonly Nsec3[],
  zone: Labels,
  effort: Effort,
  prove: (hashed: HashedZone) => Promise<Proof>,
): Promise<Proof> {
  const inZone = all.filter((record) => compareLabels(record.zone, zone) === 0);
  const [first] = inZone;
  if (first === undefined) return unproven;
  // RFC 5155 section 8.2: all records of one response have the same parameters.
  const { iterations, salt } = first;
  const records = inZone.filter((it) => it.iterations === iterations && it.salt.equals(salt));
  if (iterations > MAX_ITERATIONS) return { status: 'iterations', iterations };
  const hashes = new Map<string, Buffer>();
  async function hashOf(name: Labels): Promise<Buffer> {
    const wire = wireOf(name);
    const key = wire.toString('latin1');
    const known = hashes.get(key);
    if (known !== undefined) return known;
    if (!(await effort.may('hashes'))) throw new BudgetSpent();
    const hashed = hashName(wire, salt, iterations);
    hashes.set(key, hashed);
    return hashed;
  }
  try {
    return await prove({
      async at(name) {
        const hashed = await hashOf(name);
        return records.find(({ ownerHash }) => ownerHash.equals(hashed));
      },
      async covering(name) {
        const hashed = await hashOf(name);
        return records.find((record) => covers(record, hashed));
      },
    });
  } catch (error) {
    if (error instanceof BudgetSpent) return { status: 'budget-spent' };
    throw error;
  }
}

/**
 * The closest ancestor of `name` that exists, with the record that covers the next closer name (RFC 5155 section 8.3). It
 * must not be a delegation, nor have a DNAME record: what is below is elsewhere.
 */
async function closestEncloser(hashed: HashedZone, zone: Labels, name: Labels) {
  for (let length = name.length - 1; length >= zone.length; length -= 1) {
    const encloser = name.slice(0, length);
    const record = await hashed.at(encloser);
    if (record === undefined) continue;
    if (isDelegation(record.types) || record.types.has('DNAME')) return undefined;
    const gap = await hashed.covering(name.slice(0, length + 1));
    return gap === undefined ? undefined : { encloser, gap };
  }
  return undefined;
}

/** The hash of a name in wire form (RFC 5155 section 5). */
export function hashName(wire: Buffer, salt: Buffer, iterations: number): Buffer {
  let digest = hash('sha1', Buffer.concat([wire, salt]), 'buffer');
  for (let left = iterations; left > 0; left -= 1)
    digest = hash('sha1', Buffer.concat([digest, salt]), 'buffer');
  return digest;
}

/** The last record of a zone covers the hashes after it and before the first one (RFC 5155 section 3.1.7). */
function covers({ ownerHash, nextHash }: Nsec3, hashed: Buffer): boolean {
  const isAfterOwner = Buffer.compare(ownerHash, hashed) < 0;
  const isBeforeNext = Buffer.compare(hashed, nextHash) < 0;
  return Buffer.compare(ownerHash, nextHash) < 0
    ? isAfterOwner && isBeforeNext
    : (isAfterOwner || isBeforeNext) && !ownerHash.equals(hashed);
}

const base32Hex = '0123456789abcdefghijklmnopqrstuv';

/** RFC 4648 section 7, without padding; `undefined` for other characters. */
function fromBase32Hex(text: string): Buffer | undefined {
  let bits = 0;
  let value = 0;
  const octets: number[] = [];
  for (const character of text.toLowerCase()) {
    const digit = base32Hex.indexOf(character);
    if (digit === -1) return undefined;
    value = ((value << 5) | digit) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      octets.push((value >> bits) & 0xff);
    }
  }
  return Buffer.from(octets);
}
