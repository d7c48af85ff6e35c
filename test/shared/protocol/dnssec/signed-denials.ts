/**
 * The NSEC and NSEC3 records of zones that a test made: what a server of the zone adds to answers to prove what does not
 * exist.
 */
import { type Gap, gapsFor } from '../../../../lib/local/example-internet/denial.ts';
import { type RecordSet, type RrsigRecord, recordTypeNumbers } from '../../../../shared/protocol/dns.ts';
import { countLabels, nameToWire, parentName } from '../../../../shared/protocol/dnssec/canonical.ts';
import { hashName } from '../../../../shared/protocol/dnssec/nsec3.ts';
import { signed, signerOf, type TestKey } from './signed-world.ts';

interface Nsec3Parameters {
  readonly iterations?: number;
  readonly salt?: Buffer;
  readonly optOut?: boolean;
  readonly flags?: number;
  readonly algorithm?: number;
}

export interface DenialOptions {
  /** The zones that use NSEC3 instead of NSEC. */
  readonly nsec3?: Readonly<Record<string, Nsec3Parameters>>;
  /** Changes to the RRSIG records of the proofs before they are signed. */
  readonly signature?: Partial<RrsigRecord>;
  /** Changes what proves that `name` has no `type`. */
  readonly change?: (sets: readonly RecordSet[], name: string, type: string) => readonly RecordSet[];
}

/** A zone as its server sees it. */
interface Zone {
  readonly name: string;
  readonly key: TestKey;
  /** The types of records at each name, with the delegations. */
  readonly types: ReadonlyMap<string, readonly string[]>;
  readonly signature: Partial<RrsigRecord>;
}

/** What proves that `name` has no `type`: the SOA set of the zone and, if the zone is signed, its NSEC or NSEC3 sets. */
export function denialSets(
  sets: readonly RecordSet[],
  name: string,
  type: string,
  { nsec3 = {}, signature = {}, change = (all) => all }: DenialOptions = {},
): readonly RecordSet[] {
  const apexes = new Map(sets.filter((set) => set.type === 'SOA').map((set) => [set.name, set]));
  const apex = zoneOf(apexes, type === 'DS' ? parentName(name) : name);
  const soa = apex === undefined ? undefined : apexes.get(apex);
  const key = soa && signerOf(soa);
  if (apex === undefined || soa === undefined) return [];
  if (key === undefined) return change([soa], name, type);
  const zone = { name: apex, key, types: typesIn(sets, apexes, apex), signature };
  const parameters = nsec3[apex];
  const proof =
    parameters === undefined
      ? gapsFor(zone.types.keys(), apex, name).map((gap) => nsec(zone, gap))
      : nsec3Sets(zone, name, parameters);
  return change([soa, ...proof], name, type);
}

function nsec({ key, types, signature }: Zone, { owner, next }: Gap): RecordSet {
  const rdata = nsecRdata(next, [...(types.get(owner) ?? []), 'RRSIG', 'NSEC']);
  return signed({ name: owner, type: 'NSEC', rdata: [rdata] }, key, signature);
}

export function nsecRdata(next: string, types: readonly string[]): Buffer {
  return Buffer.concat([nameToWire(next) ?? Buffer.of(0), bitmapOf(types)]);
}

/** The NSEC3 sets that match `name`, or its closest encloser, and cover what does not exist (RFC 5155 section 7.2). */
function nsec3Sets(zone: Zone, name: string, parameters: Nsec3Parameters): RecordSet[] {
  const { iterations = 0, salt = Buffer.alloc(0), optOut = false } = parameters;
  const hashed = (it: string) => hashName(Buffer.from(nameToWire(it) ?? []), salt, iterations);
  const types = new Map<string, readonly string[]>();
  for (const [owner, held] of zone.types) {
    if (optOut && owner !== zone.name && held.includes('NS') && !held.includes('DS')) continue;
    for (let at = parentName(owner); owner !== zone.name && at !== zone.name; at = parentName(at))
      if (!types.has(at)) types.set(at, []);
    types.set(owner, held);
  }
  const chain = [...types.keys()]
    .map((owner) => ({ owner, hash: hashed(owner) }))
    .sort((a, b) => Buffer.compare(a.hash, b.hash));
  const recordAt = (position: number) => {
    const { owner = zone.name, hash = Buffer.alloc(20) } = chain.at(position) ?? {};
    const next = chain[(chain.indexOf(chain.at(position) as never) + 1) % chain.length]?.hash ?? hash;
    const held = types.get(owner) ?? [];
    const fixed = Buffer.of(
      parameters.algorithm ?? 1,
      parameters.flags ?? Number(optOut),
      iterations >> 8,
      iterations & 0xff,
    );
    const bitmap = bitmapOf(held.length === 0 ? [] : [...held, 'RRSIG']);
    const rdata = Buffer.concat([fixed, Buffer.of(salt.length), salt, Buffer.of(next.length), next, bitmap]);
    const label = base32Hex(hash);
    return signed(
      { name: zone.name === '' ? label : `${label}.${zone.name}`, type: 'NSEC3', rdata: [rdata] },
      zone.key,
      zone.signature,
    );
  };
  const positionOf = (it: string) => {
    const hash = hashed(it);
    return chain.findLastIndex((other) => Buffer.compare(other.hash, hash) <= 0);
  };
  if (types.has(name)) return [recordAt(positionOf(name))];
  let closer = name;
  while (!types.has(parentName(closer))) closer = parentName(closer);
  const encloser = parentName(closer);
  const positions = [encloser, closer, encloser === '' ? '*' : `*.${encloser}`].map(positionOf);
  return [...new Set(positions.map((at) => (at === -1 ? chain.length - 1 : at)))].map(recordAt);
}

/** Type bit maps with one window (RFC 4034 section 4.1.2). */
export function bitmapOf(types: readonly string[]): Buffer {
  const bits = Buffer.alloc(32);
  for (const type of types) {
    const number = recordTypeNumbers[type] ?? 0;
    if (number < 256) bits.writeUInt8((bits[number >> 3] ?? 0) | (0x80 >> (number & 7)), number >> 3);
  }
  const length = bits.findLastIndex((octet) => octet !== 0) + 1;
  return length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.of(0, length), bits.subarray(0, length)]);
}

export function base32Hex(octets: Buffer): string {
  const bits = [...octets].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => Number.parseInt(five, 2).toString(32)).join('');
}

function zoneOf(apexes: ReadonlyMap<string, unknown>, name: string): string | undefined {
  for (let at = name; ; at = parentName(at)) {
    if (apexes.has(at)) return at;
    if (at === '') return undefined;
  }
}

/** The types at each name of a zone, without names that are expanded from a wildcard. */
function typesIn(sets: readonly RecordSet[], apexes: ReadonlyMap<string, unknown>, zone: string) {
  const types = new Map<string, string[]>();
  for (const { name, type, signatures } of sets) {
    if (signatures.some(({ labels }) => labels < countLabels(name))) continue;
    const isApex = apexes.has(name);
    const isCut = isApex && name !== zone;
    if (zoneOf(apexes, isCut && name !== '' ? parentName(name) : name) !== zone) continue;
    const held = types.get(name) ?? (isApex ? ['NS'] : []);
    if ((type === 'DS') === isCut || !isApex) held.push(type);
    types.set(name, held);
  }
  return types;
}
