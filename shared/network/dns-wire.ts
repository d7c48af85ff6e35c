/**
 * DNS messages (RFC 1035 section 4) with EDNS (RFC 6891), as far as a stub resolver needs them. Records keep their
 * RDATA in wire form with uncompressed names, because signatures cover that form; `dns-rdata.ts` parses it.
 */
import { recordTypeNumbers } from '../protocol/dns.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { MalformedMessage, readName } from '../protocol/wire-name.ts';

/** Other types are written `TYPE123` (RFC 3597 section 5). */
const typeNames = new Map(Object.entries(recordTypeNumbers).map(([name, number]) => [number, name]));

/** RFC 6895 section 2.3. */
const rcodes = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
];
/** Response code 16 is the first that uses the extended bits in the OPT record (RFC 6891 section 6.1.3). */
const BADVERS = 16;

/** RFC 8914 section 4, in the order of their codes. */
const extendedErrors = [
  'Other Error',
  'Unsupported DNSKEY Algorithm',
  'Unsupported DS Digest Type',
  'Stale Answer',
  'Forged Answer',
  'DNSSEC Indeterminate',
  'DNSSEC Bogus',
  'Signature Expired',
  'Signature Not Yet Valid',
  'DNSKEY Missing',
  'RRSIGs Missing',
  'No Zone Key Bit Set',
  'NSEC Missing',
  'Cached Error',
  'Not Ready',
  'Blocked',
  'Censored',
  'Filtered',
  'Prohibited',
  'Stale NXDomain Answer',
  'Not Authoritative',
  'Not Supported',
  'No Reachable Authority',
  'Network Error',
  'Invalid Data',
];
const EXTENDED_ERROR_OPTION = 15;
/** A message can have several; further ones, and the rest of a long text, are left out. */
const MAX_EXTENDED_ERRORS = 2;
const MAX_EXTENDED_ERROR_TEXT = 120;

/** The size of a UDP response that avoids truncation and fragmentation (DNS flag day 2020). */
const UDP_PAYLOAD = 1232;
const HEADER = 12;
const INTERNET = 1;

/** The part of each type's RDATA that may contain compressed names (RFC 3597 section 4; RFC 1035 section 3.3). */
const compressible: Readonly<Record<string, { readonly before: number; readonly names: number }>> = {
  NS: { before: 0, names: 1 },
  CNAME: { before: 0, names: 1 },
  SOA: { before: 0, names: 2 },
  PTR: { before: 0, names: 1 },
  MX: { before: 2, names: 1 },
  SRV: { before: 6, names: 1 },
  DNAME: { before: 0, names: 1 },
};

export interface Question {
  /** Wire form of the name. */
  readonly wireName: Uint8Array;
  readonly type: string;
  readonly dnssec: boolean;
  readonly checkingDisabled: boolean;
  /** False queries an authoritative server without recursion (RD, RFC 1035 section 4.1.1); true by default. */
  readonly recursion?: boolean;
}

export interface WireRecord {
  /** Lower-case, without trailing dot. */
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  /** With uncompressed names. */
  readonly rdata: Uint8Array;
}

export interface Message {
  readonly rcode: string;
  readonly authoritative: boolean;
  /** Whether the server looks up what it does not know itself (RA). */
  readonly recursive: boolean;
  readonly extendedError?: string;
  readonly answers: readonly WireRecord[];
  readonly authorities: readonly WireRecord[];
}

/** The name of a record type; `TYPE123` for unknown types. */
export function typeName(number: number): string {
  return typeNames.get(number) ?? `TYPE${number}`;
}

/** A query with an OPT record. It asks for no validation by the resolver, because nothing here trusts one. */
export function encodeQuery(id: number, question: Question): Uint8Array {
  const { wireName, recursion = true } = question;
  const query = new Uint8Array(HEADER + wireName.length + 4 + 11);
  const view = new DataView(query.buffer);
  view.setUint16(0, id);
  view.setUint16(2, (recursion ? 0x0100 : 0) | (question.checkingDisabled ? 0x0010 : 0));
  view.setUint16(4, 1);
  view.setUint16(10, 1);
  query.set(wireName, HEADER);
  let at = HEADER + wireName.length;
  view.setUint16(at, recordTypeNumbers[question.type] ?? 0);
  view.setUint16(at + 2, INTERNET);
  at += 4;
  view.setUint16(at + 1, recordTypeNumbers.OPT ?? 0);
  view.setUint16(at + 3, UDP_PAYLOAD);
  view.setUint16(at + 7, question.dnssec ? 0x8000 : 0);
  return query;
}

/**
 * Whether `reply` answers `query`: a response with the same id and the same question, ignoring case (RFC 5452 section
 * 9.1). Ignore everything else, because anyone can send it.
 */
export function answersQuery(reply: Uint8Array, query: Uint8Array): boolean {
  const end = query.length - 11;
  if (reply.length < end || reply[0] !== query[0] || reply[1] !== query[1]) return false;
  if (((reply[2] ?? 0) & 0xf8) !== 0x80 || reply[4] !== 0 || reply[5] !== 1) return false;
  for (let at = HEADER; at < end; at += 1) {
    if (lowerCase(reply[at] ?? 0) !== lowerCase(query[at] ?? 0)) return false;
  }
  return true;
}

const AUTHORITATIVE = 0x0400;
const TRUNCATED = 0x0200;
const RECURSION_AVAILABLE = 0x0080;

/** Whether a response lacks a part of the answer (TC, RFC 1035 section 4.1.1). */
export const isTruncated = (bytes: Uint8Array): boolean => ((bytes[2] ?? 0) & (TRUNCATED >> 8)) !== 0;

/**
 * Parses a response whose question was already compared. Throws MalformedMessage, also if the message is truncated or has
 * octets after its last record: what such a message lacks may exist.
 */
export function decodeMessage(bytes: Uint8Array): Message {
  const message = new Reader(bytes);
  const flags = message.uint16(2);
  if (isTruncated(bytes)) throw new MalformedMessage('message truncated');
  let at = HEADER;
  for (let left = message.uint16(4); left > 0; left -= 1) at = readName(bytes, at).next + 4;
  const sections = [6, 8, 10].map((count) => {
    const records: WireRecord[] = [];
    for (let left = message.uint16(count); left > 0; left -= 1) at = message.record(at, records);
    return records;
  });
  if (at !== bytes.length) throw new MalformedMessage('octets after the last record');
  const [answers = [], authorities = []] = sections;
  return {
    rcode: rcodeName((message.extendedRcode << 4) | (flags & 0xf)),
    authoritative: (flags & AUTHORITATIVE) !== 0,
    recursive: (flags & RECURSION_AVAILABLE) !== 0,
    ...(message.extendedError === undefined ? {} : { extendedError: message.extendedError }),
    answers,
    authorities,
  };
}

class Reader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  extendedRcode = 0;
  extendedError: string | undefined;
  #hasOptions = false;

  constructor(bytes: Uint8Array) {
    if (bytes.length < HEADER) throw new MalformedMessage('message shorter than its header');
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  uint16(at: number): number {
    if (at + 2 > this.bytes.length) throw new MalformedMessage('message cut short');
    return this.view.getUint16(at);
  }

  /**
   * Reads the record at `at` into `records`, or an OPT record into this reader. Returns the offset of the next record.
   */
  record(at: number, records: WireRecord[]): number {
    const owner = readName(this.bytes, at);
    const start = owner.next + 10;
    const end = start + this.uint16(owner.next + 8);
    if (end > this.bytes.length) throw new MalformedMessage('record beyond the end of the message');
    const type = typeName(this.uint16(owner.next));
    const ttl = this.view.getUint32(owner.next + 4);
    if (type === 'OPT') {
      // RFC 6891 section 6.1.1.
      if (this.#hasOptions) throw new MalformedMessage('more than one OPT record');
      this.#hasOptions = true;
      this.extendedRcode = ttl >>> 24;
      this.extendedError =
        this.#extendedErrors(start, end).slice(0, MAX_EXTENDED_ERRORS).join('; ') || undefined;
    } else if (this.uint16(owner.next + 2) === INTERNET) {
      // A TTL with the highest bit set means zero (RFC 2181 section 8).
      records.push({
        name: owner.name,
        type,
        ttl: ttl > 0x7fffffff ? 0 : ttl,
        rdata: this.#rdata(type, start, end),
      });
    }
    return end;
  }

  #rdata(type: string, start: number, end: number): Uint8Array {
    const layout = compressible[type];
    if (layout === undefined) return this.bytes.slice(start, end);
    const parts = [this.bytes.subarray(start, start + layout.before)];
    let at = start + layout.before;
    for (let left = layout.names; left > 0; left -= 1) {
      const name = readName(this.bytes, at);
      parts.push(name.wire);
      at = name.next;
    }
    if (at > end) throw new MalformedMessage(`${type} record longer than its length`);
    return Buffer.concat([...parts, this.bytes.subarray(at, end)]);
  }

  #extendedErrors(start: number, end: number): string[] {
    const errors: string[] = [];
    for (let at = start; at + 4 <= end; ) {
      const length = this.uint16(at + 2);
      if (this.uint16(at) === EXTENDED_ERROR_OPTION && length >= 2 && at + 4 + length <= end) {
        const code = this.uint16(at + 4);
        const name = extendedErrors[code] ?? `Extended error ${code}`;
        const text = quotedText(this.bytes.subarray(at + 6, at + 4 + length));
        errors.push(text === '' ? name : `${name}: "${text}"`);
      }
      at += 4 + length;
    }
    return errors;
  }
}

/** The text of an extended error, which may end with a null octet (RFC 8914 section 2), without its own quotes. */
function quotedText(octets: Uint8Array): string {
  const text = Buffer.from(octets.subarray(0, 4 * MAX_EXTENDED_ERROR_TEXT)).toString('utf8');
  return excerpt(text.replace(/\0$/, '').replaceAll('"', "'"), MAX_EXTENDED_ERROR_TEXT);
}

function rcodeName(rcode: number): string {
  return rcode === BADVERS ? 'BADVERS' : (rcodes[rcode] ?? `RCODE${rcode}`);
}

function lowerCase(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
}
