/**
 * Zones with faults in what proves absence: kind of zone x fault x question. Each case has a zone of its own below a common
 * root, so that one resolver can judge all of them.
 */
import { type RecordSet, type RecordType, recordTypeNumbers } from '../../../../shared/protocol/dns.ts';
import { readTypes } from '../../../../shared/protocol/dnssec/type-bitmap.ts';
import { bitmapOf, type DenialOptions, denialSets } from './signed-denials.ts';
import {
  delegation,
  makeKey,
  now,
  rdata,
  signed,
  signerOf,
  unsigned,
  type World,
  world,
  zoneSets,
} from './signed-world.ts';

export const root = makeKey('');
const shared = makeKey('zone');
const stranger = makeKey('zone');
const seconds = now.getTime() / 1000;
const DAY = 86_400;

/** What is queried, below the zone of the case. */
export const questions: readonly (readonly [name: string, type: RecordType])[] = [
  ['@', 'TLSA'],
  ['_dmarc.@', 'TXT'],
  ['ent.@', 'A'],
  ['mx.@', 'TLSA'],
  ['_25._tcp.mx.@', 'TLSA'],
  ['alias.@', 'A'],
  ['q.wild.@', 'MX'],
  ['q.wild.@', 'TXT'],
  ['plain.@', 'A'],
  ['plain.@', 'MX'],
];

export const kinds: Readonly<Record<string, NonNullable<DenialOptions['nsec3']>[string] | 'nsec'>> = {
  NSEC: 'nsec',
  NSEC3: { iterations: 1, salt: Buffer.of(0xab) },
  'NSEC3 with opt-out': { optOut: true },
};

/** Changes the sets that prove that `name` has no `type`; `zone` is the one of the case. */
type Fault = (sets: readonly RecordSet[], zone: Zone, name: string, type: string) => readonly RecordSet[];

interface Zone {
  readonly name: string;
  readonly sets: readonly RecordSet[];
  readonly options: DenialOptions;
}

const isProof = ({ type }: RecordSet) => type === 'NSEC' || type === 'NSEC3';
const onProofs =
  (change: (set: RecordSet) => RecordSet): Fault =>
  (sets) =>
    sets.map((set) => (isProof(set) && set.signatures.length > 0 ? change(set) : set));
const resigned = (set: RecordSet, changes: Parameters<typeof signed>[2] = {}) =>
  signed({ ...set, signatures: [] }, signerOf(set) ?? shared, changes);
const withTypes = (change: (types: readonly string[]) => readonly string[]): Fault =>
  onProofs((set) =>
    resigned({ ...set, rdata: set.rdata.map((octets) => changeTypes(set.type, octets, change)) }),
  );
const flipLast = (octets: Uint8Array) =>
  octets.map((octet, at) => (at === octets.length - 1 ? octet ^ 1 : octet));

export const faults: Readonly<Record<string, Fault>> = {
  none: (sets) => sets,
  'no records': () => [],
  'only SOA': (sets) => sets.filter((set) => !isProof(set)),
  'proofs without signatures': onProofs((set) => ({ ...set, signatures: [] })),
  'SOA without signature': (sets) => sets.map((set) => (isProof(set) ? set : { ...set, signatures: [] })),
  expired: onProofs((set) => resigned(set, { inception: seconds - 9 * DAY, expiration: seconds - 2 * DAY })),
  'not valid yet': onProofs((set) => resigned(set, { inception: seconds + 2 * DAY })),
  'expiration before inception': onProofs((set) =>
    resigned(set, { inception: seconds - 0x6000_0000, expiration: seconds + 0x6000_0000 }),
  ),
  'changed after signing': onProofs((set) => ({ ...set, rdata: set.rdata.map(flipLast) })),
  'signed by a stranger': onProofs((set) =>
    signed({ ...set, signatures: [] }, { ...stranger, zone: signerOf(set)?.zone ?? '' }),
  ),
  'signed by a name that is no zone': onProofs((set) =>
    signed({ ...set, signatures: [] }, { ...shared, zone: `mx.${signerOf(set)?.zone}` }),
  ),
  'a stray signature beside the valid one': onProofs((set) => signed(set, { ...stranger, zone: 'other' })),
  'the proof for another name': (sets, zone, name, type) =>
    name === 'zzz' || !sets.some(isProof)
      ? sets
      : denialSets(zone.sets, `zzz.${zone.name}`, type, zone.options),
  'only the first proof': (sets) => sets.filter((set) => !isProof(set) || set === sets.find(isProof)),
  'without the first proof': (sets) => sets.filter((set) => set !== sets.find(isProof)),
  'all types exist': withTypes((types) => [...types, 'A', 'MX', 'TXT', 'TLSA', 'DS']),
  'CNAME in the types': withTypes((types) => [...types, 'CNAME']),
  'the side of the parent': withTypes((types) => [...types.filter((type) => type !== 'SOA'), 'NS']),
  'the side of the child': withTypes((types) => [...types, 'NS', 'SOA']),
  'delegation without NS': withTypes((types) => types.filter((type) => type !== 'NS')),
  'DNAME in the types': withTypes((types) => [...types, 'DNAME']),
  'labels of a wildcard': onProofs((set) => resigned(set, { labels: 0 })),
};

/** Faults of NSEC3 parameters. */
export const parameterFaults: typeof kinds = {
  '100 iterations': { iterations: 100 },
  '101 iterations': { iterations: 101 },
  'an unknown flag': { flags: 2 },
  'an unknown hash': { algorithm: 2 },
};

export interface Case {
  readonly title: string;
  readonly kind: string;
  readonly fault: string;
  readonly zone: string;
  readonly world: World;
}

/** All cases, each with its zone. */
export function makeCases(): Case[] {
  const all = Object.entries(kinds).flatMap(([kind, nsec3]) => [
    ...Object.entries(faults).map(([fault, change]) => ({ kind, fault, nsec3, change })),
    ...(kind === 'NSEC3' ? Object.entries(parameterFaults) : []).map(([fault, parameters]) => ({
      kind,
      fault,
      nsec3: parameters,
      change: faults.none as Fault,
    })),
  ]);
  return all.map(({ kind, fault, nsec3, change }, index) => {
    const zone = `c${index}`;
    return { title: `${kind}: ${fault}`, kind, fault, zone, world: makeWorld(zone, nsec3, change) };
  });
}

function makeWorld(zone: string, nsec3: (typeof kinds)[string], fault: Fault): World {
  const key = { ...shared, zone };
  const sets = [
    ...zoneSets(root),
    ...zoneSets(key),
    delegation(key, root),
    ...[
      { name: `b.ent.${zone}`, type: 'A', rdata: [rdata.A('192.0.2.1')] },
      { name: `mx.${zone}`, type: 'A', rdata: [rdata.A('192.0.2.1')] },
      { name: `alias.${zone}`, type: 'CNAME', rdata: [rdata.name(`missing.${zone}`)] },
      { name: `*.wild.${zone}`, type: 'TXT', rdata: [rdata.TXT('any')] },
    ].map((set) => signed(set, key)),
    unsigned({ name: `plain.${zone}`, type: 'SOA', rdata: [rdata.SOA(`plain.${zone}`)] }),
    unsigned({ name: `plain.${zone}`, type: 'A', rdata: [rdata.A('192.0.2.1')] }),
  ];
  const wildcard = sets.find(({ name }) => name.startsWith('*.'));
  const options: DenialOptions = nsec3 === 'nsec' ? {} : { nsec3: { [zone]: nsec3 } };
  const held = wildcard === undefined ? sets : [...sets, { ...wildcard, name: `q.wild.${zone}` }];
  return world(
    held,
    {},
    {
      ...options,
      change: (proof, name, type) =>
        name === zone && type === 'DS'
          ? proof
          : fault(proof, { name: zone, sets: held, options }, name, type),
    },
  );
}

function changeTypes(
  type: string,
  octets: Uint8Array,
  change: (types: readonly string[]) => readonly string[],
): Uint8Array {
  const start =
    type === 'NSEC'
      ? octets.findIndex((octet, at) => octet === 0 && isEnd(octets, at)) + 1
      : 5 + (octets[4] ?? 0) + 21;
  const types = readTypes(octets.subarray(start));
  const held = Object.keys(recordTypeNumbers).filter((it) => types?.has(it));
  return Buffer.concat([octets.subarray(0, start), bitmapOf(change(held))]);
}

/** Whether the octet at `at` is the root label of the name at the start. */
function isEnd(octets: Uint8Array, at: number): boolean {
  let label = 0;
  while (label < at) label += (octets[label] ?? 0) + 1;
  return label === at;
}
