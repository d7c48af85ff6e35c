/** Parses RDATA in wire form. Each reader throws MalformedMessage on invalid data. */
import type { DnskeyRecord, DsRecord, RecordData, RecordType, RrsigRecord } from '../protocol/dns.ts';
import { formatIp } from '../protocol/ip.ts';
import { MalformedMessage, readName } from '../protocol/wire-name.ts';
import { typeName } from './dns-wire.ts';

/**
 * In octets. Twice as long as any record that receivers are known to read; DNS itself allows 64 KB. A longer one makes the
 * answer malformed, so nothing is concluded from it.
 */
export const MAX_TXT_OCTETS = 8192;

const readers: { readonly [T in RecordType]: (rdata: Buffer) => RecordData[T] } = {
  A: (rdata) => exactly(rdata, 4).join('.'),
  AAAA: (rdata) => formatIp({ family: 6, value: numberIn(exactly(rdata, 16)) }),
  CNAME: (rdata) => wholeName(rdata, 0),
  NS: (rdata) => wholeName(rdata, 0),
  PTR: (rdata) => wholeName(rdata, 0),
  MX: (rdata) => ({ preference: atLeast(rdata, 3).readUInt16BE(0), exchange: wholeName(rdata, 2) }),
  TXT: (rdata) => text(rdata).toString('utf8'),
  SOA(rdata) {
    const mname = readName(rdata, 0);
    const rname = readName(rdata, mname.next);
    const numbers = exactly(rdata.subarray(rname.next), 20);
    return {
      mname: mname.name,
      rname: rname.name,
      serial: numbers.readUInt32BE(0),
      minimum: numbers.readUInt32BE(16),
    };
  },
  TLSA: (rdata) => ({
    usage: atLeast(rdata, 3).readUInt8(0),
    selector: rdata.readUInt8(1),
    matchingType: rdata.readUInt8(2),
    certificate: Uint8Array.from(rdata.subarray(3)),
  }),
  DS: delegationSigner,
  DNSKEY: zoneKey,
  CDS: delegationSigner,
  CDNSKEY: zoneKey,
  CAA(rdata) {
    const value = 2 + atLeast(rdata, 3).readUInt8(1);
    const tag = atLeast(rdata, value).toString('latin1', 2, value).toLowerCase();
    if (tag === '') throw new MalformedMessage('CAA record without a tag');
    return { flags: rdata.readUInt8(0), tag, value: rdata.toString('utf8', value) };
  },
};

/**
 * The data of one record (RFC 1035 section 3.3; RFC 3596; RFC 4034; RFC 6698 section 2.1; RFC 8659 section 4.1).
 * Throws MalformedMessage.
 */
export function readRecord<T extends RecordType>(type: T, rdata: Uint8Array): RecordData[T] {
  return readers[type](asBuffer(rdata));
}

function delegationSigner(rdata: Buffer): DsRecord {
  return {
    keyTag: atLeast(rdata, 4).readUInt16BE(0),
    algorithm: rdata.readUInt8(2),
    digestType: rdata.readUInt8(3),
    digest: Uint8Array.from(rdata.subarray(4)),
  };
}

function zoneKey(rdata: Buffer): DnskeyRecord {
  return {
    flags: atLeast(rdata, 4).readUInt16BE(0),
    algorithm: rdata.readUInt8(3),
    key: Uint8Array.from(rdata.subarray(4)),
  };
}

/** RFC 4034 section 3.1. Throws MalformedMessage. */
export function readRrsig(rdata: Uint8Array): RrsigRecord {
  const bytes = atLeast(asBuffer(rdata), 19);
  const signer = readName(bytes, 18);
  return {
    typeCovered: typeName(bytes.readUInt16BE(0)),
    algorithm: bytes.readUInt8(2),
    labels: bytes.readUInt8(3),
    originalTtl: bytes.readUInt32BE(4),
    expiration: bytes.readUInt32BE(8),
    inception: bytes.readUInt32BE(12),
    keyTag: bytes.readUInt16BE(16),
    signerName: signer.name,
    signature: Uint8Array.from(bytes.subarray(signer.next)),
  };
}

const numberIn = (octets: Buffer): bigint => BigInt(`0x${octets.toString('hex')}`);

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function exactly(rdata: Buffer, length: number): Buffer {
  if (rdata.length !== length) throw new MalformedMessage(`record data of ${rdata.length} octets`);
  return rdata;
}

function atLeast(rdata: Buffer, length: number): Buffer {
  if (rdata.length < length) throw new MalformedMessage(`record data of ${rdata.length} octets`);
  return rdata;
}

function wholeName(rdata: Buffer, offset: number): string {
  const { name, next } = readName(rdata, offset);
  if (next !== rdata.length) throw new MalformedMessage('octets after a name');
  return name;
}

function text(rdata: Buffer): Buffer {
  const octets = Buffer.concat(characterStrings(rdata));
  if (octets.length > MAX_TXT_OCTETS) throw new MalformedMessage('TXT record that is too long');
  return octets;
}

function characterStrings(rdata: Buffer): Buffer[] {
  const strings: Buffer[] = [];
  for (let at = 0; at < rdata.length; ) {
    const end = at + 1 + rdata.readUInt8(at);
    if (end > rdata.length) throw new MalformedMessage('character-string beyond the end of the record');
    strings.push(rdata.subarray(at + 1, end));
    at = end;
  }
  if (strings.length === 0) throw new MalformedMessage('TXT record without a character-string');
  return strings;
}
