/**
 * The octets that a DNSSEC signature covers: RRSIG RDATA without the signature, then the record set in canonical form
 * (RFC 4034 sections 3.1.8.1 and 6, RFC 6840 section 5.1).
 */
import { type RecordSet, type RrsigRecord, recordTypeNumbers } from '../dns.ts';
import { encodeName } from '../wire-name.ts';

/** Class IN, the only class that is queried. */
const CLASS_IN = 1;
/** Length of the five numbers at the end of SOA RDATA (RFC 1035 section 3.3.13). */
const SOA_NUMBERS = 20;

/** The part of an RRSIG that is itself signed: everything except the signature. */
export type SignatureHeader = Omit<RrsigRecord, 'signature'>;

/**
 * The octets that `signature` covers for `set`, or `undefined` if there are none: an invalid name, an unknown type, or
 * a labels field larger than the label count of the owner name (RFC 4035 section 5.3.1).
 */
export function signedOctets(set: RecordSet, signature: SignatureHeader): Uint8Array | undefined {
  const header = signatureHeader(signature);
  const owner = signedOwner(set.name, signature.labels);
  const ownerWire = owner === undefined ? undefined : nameToWire(owner);
  const type = recordTypeNumbers[set.type];
  if (header === undefined || ownerWire === undefined || type === undefined) return undefined;
  const fixed = Buffer.alloc(8);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(CLASS_IN, 2);
  fixed.writeUInt32BE(signature.originalTtl, 4);
  const records = canonicalOrder(set.rdata.map((rdata) => canonicalRdata(set.type, rdata)));
  return Buffer.concat([header, ...records.flatMap((rdata) => [ownerWire, fixed, lengthOf(rdata), rdata])]);
}

/** RRSIG RDATA up to the signature, exclusive (RFC 4034 section 3.1), with the signer's name in canonical form. */
function signatureHeader(signature: SignatureHeader): Uint8Array | undefined {
  const type = recordTypeNumbers[signature.typeCovered];
  const signer = nameToWire(signature.signerName);
  if (type === undefined || signer === undefined) return undefined;
  const fixed = Buffer.alloc(18);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt8(signature.algorithm, 2);
  fixed.writeUInt8(signature.labels, 3);
  fixed.writeUInt32BE(signature.originalTtl, 4);
  fixed.writeUInt32BE(signature.expiration, 8);
  fixed.writeUInt32BE(signature.inception, 12);
  fixed.writeUInt16BE(signature.keyTag, 16);
  return Buffer.concat([fixed, signer]);
}

/**
 * A textual name in canonical wire format (RFC 4034 section 6.2): lowercase, not compressed. `undefined` if a label or the
 * name is too long.
 */
export function nameToWire(name: string): Uint8Array | undefined {
  const wire = encodeName(name);
  return wire && lowerCase(wire, 0, wire.length);
}

/** The number of labels as in the RRSIG labels field: without the root and without a leading `*`. */
export function countLabels(name: string): number {
  const labels = labelsOf(name);
  return labels[0] === '*' ? labels.length - 1 : labels.length;
}

/** The name without its first label; the root is its own parent. */
export function parentName(name: string): string {
  return labelsOf(name).slice(1).join('.');
}

/** The owner name that was signed: the name itself, or the wildcard it was expanded from (RFC 4035 section 5.3.2). */
function signedOwner(name: string, signedLabels: number): string | undefined {
  const present = countLabels(name);
  if (signedLabels > present) return undefined;
  if (signedLabels === present) return name;
  const labels = labelsOf(name);
  return ['*', ...labels.slice(labels.length - signedLabels)].join('.');
}

function labelsOf(name: string): string[] {
  return name.match(/(?:\\.|[^.\\])+/gs) ?? [];
}

/**
 * RDATA with its names in lowercase (RFC 4034 section 6.2). A length octet is at most 63, which is less than `A`, so a
 * whole name can be converted without parsing its labels.
 */
function canonicalRdata(type: string, rdata: Uint8Array): Uint8Array {
  switch (type) {
    case 'NS':
    case 'CNAME':
    case 'PTR':
    case 'DNAME':
      return lowerCase(rdata, 0, rdata.length);
    case 'MX':
      return lowerCase(rdata, 2, rdata.length);
    case 'SRV':
      return lowerCase(rdata, 6, rdata.length);
    case 'SOA':
      return lowerCase(rdata, 0, rdata.length - SOA_NUMBERS);
    default:
      return rdata;
  }
}

function lowerCase(octets: Uint8Array, from: number, to: number): Uint8Array {
  return octets.map((octet, at) =>
    at >= from && at < to && octet >= 0x41 && octet <= 0x5a ? octet + 32 : octet,
  );
}

/** RFC 4034 section 6.3: sorted as octet strings, without duplicates. */
function canonicalOrder(records: readonly Uint8Array[]): Uint8Array[] {
  const sorted = [...records].sort(Buffer.compare);
  return sorted.filter((rdata, at) => at === 0 || Buffer.compare(rdata, sorted[at - 1] ?? rdata) !== 0);
}

function lengthOf(rdata: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(rdata.length);
  return length;
}
