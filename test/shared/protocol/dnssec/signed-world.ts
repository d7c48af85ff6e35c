/**
 * Signed zones created by the test: keys of every algorithm, signatures with any dates, and a Dns that serves the sets.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readRecord } from '../../../../shared/network/dns-rdata.ts';
import type {
  Answer,
  Dns,
  Found,
  RecordData,
  RecordSet,
  RecordType,
  RrsigRecord,
  Unavailable,
} from '../../../../shared/protocol/dns.ts';
import type { TrustAnchor } from '../../../../shared/protocol/dnssec/anchors.ts';
import {
  countLabels,
  nameToWire,
  parentName,
  signedOctets,
} from '../../../../shared/protocol/dnssec/canonical.ts';
import { dsDigest, keyTag } from '../../../../shared/protocol/dnssec/dnskey.ts';
import { type DenialOptions, denialSets } from './signed-denials.ts';

/** The time of this machine in whole seconds, because delv takes no other one. */
export const now = new Date(Math.floor(Date.now() / 1000) * 1000);
export const clock = { now: () => now };
const DAY = 86_400;
const seconds = now.getTime() / 1000;

export interface TestKey {
  readonly zone: string;
  readonly algorithm: number;
  readonly rdata: Uint8Array;
  readonly keyTag: number;
  readonly privateKey: KeyObject;
}

const hashes: Record<number, string | null> = {
  5: 'sha1',
  7: 'sha1',
  8: 'sha256',
  10: 'sha512',
  13: 'sha256',
  14: 'sha384',
  15: null,
  16: null,
};

export function makeKey(zone: string, algorithm = 13, flags = 257): TestKey {
  const { publicKey, privateKey } = keyPair(algorithm);
  const { n = '', e = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const part = (text: string) => Buffer.from(text, 'base64url');
  const key = n === '' ? [part(x), part(y)] : [Buffer.of(part(e).length), part(e), part(n)];
  const rdata = Buffer.concat([Buffer.of(flags >> 8, flags & 0xff, 3, algorithm), ...key]);
  return { zone, algorithm, rdata, keyTag: keyTag(rdata), privateKey };
}

/** Short, and no shorter than validators accept without a word. */
const RSA_BITS = 1280;

function keyPair(algorithm: number): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 13) return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 14) return generateKeyPairSync('ec', { namedCurve: 'P-384' });
  if (algorithm === 15) return generateKeyPairSync('ed25519');
  if (algorithm === 16) return generateKeyPairSync('ed448');
  return generateKeyPairSync('rsa', { modulusLength: RSA_BITS });
}

/** The keys that signed the sets of a test. */
const signers = new WeakMap<RecordSet, TestKey>();

/** The key that signed a set of a test last; `undefined` if none did. */
export function signerOf(set: RecordSet): TestKey | undefined {
  return signers.get(set);
}

interface UnsignedSet {
  readonly name: string;
  readonly type: string;
  readonly rdata: readonly Uint8Array[];
  readonly ttl?: number;
}

/** Adds a signature by `key` to the set; `changes` apply to the RRSIG before it is signed. */
export function signed(
  set: UnsignedSet | RecordSet,
  key: TestKey,
  changes: Partial<RrsigRecord> = {},
): RecordSet {
  const { name, type, rdata, ttl = 300 } = set;
  const header = {
    typeCovered: type,
    algorithm: key.algorithm,
    labels: countLabels(name),
    originalTtl: ttl,
    expiration: seconds + 14 * DAY,
    inception: seconds - DAY,
    keyTag: key.keyTag,
    signerName: key.zone,
    signature: new Uint8Array(),
    ...changes,
  };
  const before = { name, type, rdata, ttl, signatures: 'signatures' in set ? set.signatures : [] };
  const octets = signedOctets(before, header) ?? new Uint8Array();
  const signature = sign(hashes[key.algorithm] ?? null, octets, {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  const made = { ...before, signatures: [...before.signatures, { ...header, signature }] };
  signers.set(made, key);
  return made;
}

export function unsigned({ name, type, rdata, ttl = 300 }: UnsignedSet): RecordSet {
  return { name, type, rdata, ttl, signatures: [] };
}

/** A set as a resolver returns it that strips signatures. */
export const bare = (set: RecordSet): RecordSet => ({ ...set, signatures: [] });

/** The sets but those such as `example.org DS`. */
export const without = (sets: readonly RecordSet[], ...gone: string[]): RecordSet[] =>
  sets.filter(({ name, type }) => !gone.includes(`${name} ${type}`));

export const rdata = {
  A: (address: string) => Uint8Array.from(address.split('.').map(Number)),
  TXT: (text: string) => Buffer.concat([Buffer.of(text.length), Buffer.from(text)]),
  MX: (preference: number, exchange: string) => Buffer.concat([Buffer.of(0, preference), wire(exchange)]),
  name: (name: string) => wire(name),
  SOA: (zone: string) => Buffer.concat([wire(`ns.${zone}`), wire(`host.${zone}`), Buffer.alloc(20)]),
  DS(key: TestKey, digestType = 2, algorithm = key.algorithm) {
    const digest = dsDigest(key.zone, key.rdata, digestType) ?? Buffer.alloc(32);
    return Buffer.concat([Buffer.of(key.keyTag >> 8, key.keyTag & 0xff, algorithm, digestType), digest]);
  },
};

function wire(name: string): Uint8Array {
  const octets = nameToWire(name);
  if (octets === undefined) throw new Error(`not a name: ${name}`);
  return octets;
}

export function anchorOf(key: TestKey): TrustAnchor {
  const digest = dsDigest(key.zone, key.rdata, 2) ?? new Uint8Array();
  return { zone: key.zone, ds: { keyTag: key.keyTag, algorithm: key.algorithm, digestType: 2, digest } };
}

/** The DNSKEY, SOA, MX and TXT sets of a zone, signed with its key. */
export function zoneSets(key: TestKey): RecordSet[] {
  const { zone } = key;
  return [
    signed({ name: zone, type: 'DNSKEY', rdata: [key.rdata] }, key),
    signed({ name: zone, type: 'SOA', rdata: [rdata.SOA(zone)] }, key),
    signed({ name: zone, type: 'MX', rdata: [rdata.MX(10, `mx.${zone}`)] }, key),
    signed({ name: zone, type: 'TXT', rdata: [rdata.TXT('v=spf1 -all')] }, key),
  ];
}

export function delegation(child: TestKey, parent: TestKey, digestType = 2): RecordSet {
  return signed({ name: child.zone, type: 'DS', rdata: [rdata.DS(child, digestType)] }, parent);
}

export interface World extends Dns {
  readonly questions: string[];
  answer(name: string, type: RecordType): Promise<Found<unknown>>;
}

/**
 * A Dns with these sets, which proves what does not exist in zones with a signed SOA; later ones replace earlier ones of the same name and type, and failures replace responses.
 */
export function world(
  sets: readonly RecordSet[],
  failures: Readonly<Record<string, Unavailable['reason']>> = {},
  options: DenialOptions = {},
): World {
  const held = new Map(sets.map((set) => [`${set.name} ${set.type}`, set]));
  const denials = (name: string, type: string) => denialSets([...held.values()], name, type, options);
  const names = new Set<string>();
  for (const { name } of sets) for (let at = name; at !== ''; at = parentName(at)) names.add(at);
  const questions: string[] = [];
  const evidence = { milliseconds: 0 };

  async function lookup<T extends RecordType>(queried: string, type: T): Promise<Answer<RecordData[T]>> {
    questions.push(`${queried} ${type}`);
    const failure = failures[`${queried} ${type}`];
    if (failure !== undefined) return { status: 'unavailable', reason: failure, evidence };
    const chain: RecordSet[] = [];
    const aliases: string[] = [];
    let name = queried;
    for (;;) {
      const set = held.get(`${name} ${type}`);
      const alias = held.get(`${name} CNAME`);
      if (set !== undefined) {
        const isExpanded = set.signatures.some(({ labels }) => labels < countLabels(set.name));
        return {
          status: 'found',
          records: set.rdata.map((octets) => readRecord(type, octets)),
          name,
          aliases,
          ttl: set.ttl,
          sets: [
            ...sets.filter((it) => it.type === 'DNAME'),
            ...chain,
            set,
            ...(isExpanded ? denials(name, type) : []),
          ],
          evidence,
        };
      }
      if (alias === undefined) {
        const reason = names.has(name) || name === '' ? 'no-data' : 'no-name';
        const denial = { name, type, sets: [...chain, ...denials(name, type)] };
        return { status: 'absent', reason, aliases, denial, evidence };
      }
      chain.push(alias);
      aliases.push(name);
      name = readable(alias.rdata[0] ?? new Uint8Array());
    }
  }

  return {
    questions,
    lookup,
    async answer(name, type) {
      const found = await lookup(name, type);
      questions.pop();
      if (found.status !== 'found') throw new Error(`${name} ${type} is ${found.status}`);
      return found;
    },
  };
}

function readable(wireName: Uint8Array): string {
  const labels: string[] = [];
  for (let at = 0; at < wireName.length; at += (wireName[at] ?? 0) + 1) {
    labels.push(Buffer.from(wireName.subarray(at + 1, at + 1 + (wireName[at] ?? 0))).toString());
  }
  return labels.filter((label) => label !== '').join('.');
}
