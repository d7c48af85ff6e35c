/** DNSKEY records: their key tag, the matching DS record in the parent zone, and the public key. */
import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { DsRecord } from '../dns.ts';
import { nameToWire } from './canonical.ts';

export interface ZoneKey {
  readonly flags: number;
  readonly algorithm: number;
  /** RFC 4034 appendix B. */
  readonly keyTag: number;
  readonly rdata: Uint8Array;
}

/** RFC 4034 section 2.1.1 and RFC 5011 section 3. */
const ZONE_KEY = 0x0100;
const REVOKED = 0x0080;
/** RFC 4034 section 2.1.2. */
const PROTOCOL_DNSSEC = 3;
/** In octets. RFC 3110 section 2 limits the modulus; a longer exponent only costs time. */
const MAX_MODULUS = 512;
const MAX_EXPONENT = 8;

/**
 * The most digests for the DS records of one zone. Legitimate zones need one or two. An answer has room for thousands of
 * keys and DS records with one key tag, and each pair costs a digest (compare CVE-2023-50387).
 */
const MAX_DIGESTS = 128;

const digests: Readonly<Record<number, string>> = { 1: 'sha1', 2: 'sha256', 4: 'sha384' };

/** Algorithms whose signatures can be verified (IANA, DNS Security Algorithm Numbers). */
const supportedAlgorithms: ReadonlySet<number> = new Set([5, 7, 8, 10, 13, 14, 15, 16]);

export function isSupportedAlgorithm(algorithm: number): boolean {
  return supportedAlgorithms.has(algorithm);
}

/** RSASHA1 and RSASHA1-NSEC3-SHA1. */
const sha1Algorithms: ReadonlySet<number> = new Set([5, 7]);

/**
 * Whether a key, DS record or signature has an algorithm that uses SHA-1. Resolvers must treat these algorithms as
 * unsupported, but implementations continue to validate them (RFC 9905 section 2).
 */
export function usesSha1({ algorithm }: { readonly algorithm: number }): boolean {
  return sha1Algorithms.has(algorithm);
}

/** The keys or DS records that decide about a zone: those with SHA-1 algorithms only if there are no others. */
export function decisive<T extends { readonly algorithm: number }>(records: readonly T[]): readonly T[] {
  const current = records.filter((record) => !usesSha1(record));
  return current.length > 0 ? current : records;
}

/**
 * The keys in DNSKEY RDATA that may sign zone data: Zone Key flag, protocol 3, not revoked. A self-signed revoked key
 * is not needed here, because trust anchors come from the configuration (RFC 5011 section 2.1).
 */
export function zoneKeys(rdata: readonly Uint8Array[]): ZoneKey[] {
  return rdata.flatMap((octets) => {
    const view = Buffer.from(octets);
    if (view.length < 5 || view[2] !== PROTOCOL_DNSSEC) return [];
    const flags = view.readUInt16BE(0);
    if ((flags & ZONE_KEY) === 0 || (flags & REVOKED) !== 0) return [];
    return [{ flags, algorithm: view.readUInt8(3), keyTag: keyTag(octets), rdata: octets }];
  });
}

/** The key tag by which signatures and DS records refer to a key (RFC 4034 appendix B). Not unique. */
export function keyTag(rdata: Uint8Array): number {
  const sum = rdata.reduce((total, octet, at) => total + (at % 2 === 0 ? octet << 8 : octet), 0);
  return (sum + (sum >>> 16)) & 0xffff;
}

/** Whether the algorithm and digest type of a DS record are supported (RFC 4035 section 5.2, RFC 6840 section 5.2). */
export function isSupportedDs(ds: DsRecord): boolean {
  return isSupportedAlgorithm(ds.algorithm) && digests[ds.digestType] !== undefined;
}

/** Whether `ds` matches `key` at `owner` (RFC 4034 section 5.1.4). False for unsupported digest types. */
export function matchesDs(owner: string, key: ZoneKey, ds: DsRecord): boolean {
  if (ds.keyTag !== key.keyTag || ds.algorithm !== key.algorithm) return false;
  const digest = dsDigest(owner, key.rdata, ds.digestType);
  return digest !== undefined && Buffer.compare(digest, ds.digest) === 0;
}

/** The keys at `owner` that a DS record matches; of those beyond the limit, none. */
export function delegatedKeys(owner: string, keys: readonly ZoneKey[], ds: readonly DsRecord[]): ZoneKey[] {
  const byTag = Map.groupBy(ds, ({ keyTag, algorithm }) => `${keyTag} ${algorithm}`);
  let digestsLeft = MAX_DIGESTS;
  return keys.filter((key) =>
    byTag.get(`${key.keyTag} ${key.algorithm}`)?.some((record) => {
      digestsLeft -= 1;
      return digestsLeft >= 0 && matchesDs(owner, key, record);
    }),
  );
}

/** The digest in a DS record of this digest type for a DNSKEY; `undefined` for unsupported digest types. */
export function dsDigest(owner: string, dnskeyRdata: Uint8Array, digestType: number): Uint8Array | undefined {
  const algorithm = digests[digestType];
  const name = nameToWire(owner);
  if (algorithm === undefined || name === undefined) return undefined;
  return createHash(algorithm).update(name).update(dnskeyRdata).digest();
}

/** The public key of a DNSKEY, or `undefined` if it is invalid (RFC 3110, RFC 6605 section 4, RFC 8080 section 3). */
export function publicKeyOf(key: ZoneKey): KeyObject | undefined {
  const jwk = jwkOf(key.algorithm, Buffer.from(key.rdata.subarray(4)));
  if (jwk === undefined) return undefined;
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function jwkOf(algorithm: number, key: Buffer): JsonWebKey | undefined {
  const half = key.length / 2;
  switch (algorithm) {
    case 5:
    case 7:
    case 8:
    case 10:
      return rsaJwk(key);
    case 13:
    case 14: {
      if (key.length !== (algorithm === 13 ? 64 : 96)) return undefined;
      const crv = algorithm === 13 ? 'P-256' : 'P-384';
      return { kty: 'EC', crv, x: base64url(key.subarray(0, half)), y: base64url(key.subarray(half)) };
    }
    case 15:
      return { kty: 'OKP', crv: 'Ed25519', x: base64url(key) };
    case 16:
      return { kty: 'OKP', crv: 'Ed448', x: base64url(key) };
    default:
      return undefined;
  }
}

/** The length of the modulus of an RSA key in bits; undefined for another or an invalid key. */
export function rsaBits(key: ZoneKey): number | undefined {
  const jwk = jwkOf(key.algorithm, Buffer.from(key.rdata.subarray(4)));
  if (jwk?.kty !== 'RSA' || jwk.n === undefined) return undefined;
  const bits = Buffer.from(jwk.n, 'base64url').toString('hex').replace(/^0+/, '');
  return bits === '' ? 0 : (bits.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(bits.charAt(0), 16)));
}

/** RFC 3110 section 2: the exponent length in one octet, or in two octets after a zero; the exponent; the modulus. */
function rsaJwk(key: Buffer): JsonWebKey | undefined {
  if (key.length < 4) return undefined;
  const long = key[0] === 0;
  const start = long ? 3 : 1;
  const length = long ? key.readUInt16BE(1) : key.readUInt8(0);
  const exponent = key.subarray(start, start + length);
  const modulus = key.subarray(start + length);
  if (length === 0 || length > MAX_EXPONENT || modulus.length === 0 || modulus.length > MAX_MODULUS)
    return undefined;
  return { kty: 'RSA', n: base64url(modulus), e: base64url(exponent) };
}

function base64url(octets: Buffer): string {
  return octets.toString('base64url');
}
