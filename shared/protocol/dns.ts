/**
 * The DNS port: what evaluators and checks ask, and the three kinds of answer they may get.
 *
 * "Could not ask" is never "not there": `absent` is an answer of the name's own servers, `unavailable` is the
 * lack of one. The two never meet in one branch of this code base.
 */

/** Record types by name, with their numbers (IANA, Domain Name System Parameters). */
export const recordTypeNumbers: Readonly<Record<string, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DNAME: 39,
  OPT: 41,
  DS: 43,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  TLSA: 52,
  CAA: 257,
};

/** Where an answer came from, kept so that a user can see why we believe it. */
export interface DnsEvidence {
  /** Address and port of the server that answered last, as `192.0.2.1:53`; absent when none was asked. */
  readonly server?: string;
  /** DNS response code by name (`NOERROR`, `NXDOMAIN`, `SERVFAIL`, ...). */
  readonly rcode?: string;
  /** Extended DNS error (RFC 8914) in words, where the server sent one. */
  readonly extendedError?: string;
  readonly milliseconds: number;
  readonly fromCache?: boolean;
}

export interface MxRecord {
  readonly preference: number;
  /** Without trailing dot; the empty string is the root, as in a null MX (RFC 7505). */
  readonly exchange: string;
}

export interface TlsaRecord {
  readonly usage: number;
  readonly selector: number;
  readonly matchingType: number;
  readonly certificate: Uint8Array;
}

export interface DsRecord {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: Uint8Array;
}

export interface DnskeyRecord {
  readonly flags: number;
  readonly algorithm: number;
  readonly key: Uint8Array;
}

export interface SoaRecord {
  readonly mname: string;
  readonly rname: string;
  readonly serial: number;
  readonly minimum: number;
}

/** RRSIG RDATA (RFC 4034 section 3.1); times are seconds since 1970. */
export interface RrsigRecord {
  readonly typeCovered: string;
  readonly algorithm: number;
  readonly labels: number;
  readonly originalTtl: number;
  readonly expiration: number;
  readonly inception: number;
  readonly keyTag: number;
  readonly signerName: string;
  readonly signature: Uint8Array;
}

/** What one record of each type looks like in an answer. Names are lower-case and without trailing dot. */
export interface RecordData {
  A: string;
  AAAA: string;
  CNAME: string;
  NS: string;
  PTR: string;
  MX: MxRecord;
  /** The character-strings of one record joined without a separator (RFC 7208 section 3.3), read as UTF-8. */
  TXT: string;
  SOA: SoaRecord;
  TLSA: TlsaRecord;
  DS: DsRecord;
  DNSKEY: DnskeyRecord;
}

export type RecordType = keyof RecordData;

/** One signed or unsigned set of records exactly as received, for DNSSEC verification. */
export interface RecordSet {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  /** RDATA of each record in wire form, names not compressed. */
  readonly rdata: readonly Uint8Array[];
  readonly signatures: readonly RrsigRecord[];
}

export interface Found<T> {
  readonly status: 'found';
  /**
   * Never empty, and always in one order, whichever the server chose: that of an answer means nothing, and changes
   * from one to the next (RFC 2181 section 5).
   */
  readonly records: readonly T[];
  /** The owner of the records: the end of the CNAME chain that was followed, else the name asked. */
  readonly name: string;
  /** The CNAMEs followed, in order, first the name asked; empty where there were none. */
  readonly aliases: readonly string[];
  /** Seconds for which the answer may be kept. */
  readonly ttl: number;
  /** The resolver's AD bit: it says it validated the answer (RFC 4035 section 3.2.3). */
  readonly authenticated: boolean;
  /** The sets of the answer section with their signatures, when asked with `dnssec`. */
  readonly sets: readonly RecordSet[];
  readonly evidence: DnsEvidence;
}

export interface Absent {
  readonly status: 'absent';
  /** `no-name`: NXDOMAIN; `no-data`: the name exists without this type (RFC 2308). */
  readonly reason: 'no-name' | 'no-data';
  readonly aliases: readonly string[];
  readonly authenticated: boolean;
  readonly evidence: DnsEvidence;
}

export interface Unavailable {
  readonly status: 'unavailable';
  readonly reason:
    | 'timeout'
    | 'server-failure'
    | 'refused'
    | 'malformed'
    | 'unreachable'
    | 'invalid-name'
    | 'deadline';
  readonly evidence: DnsEvidence;
}

export type Answer<T> = Found<T> | Absent | Unavailable;

/** NXDOMAIN for the name itself: one with an alias, even to nothing, exists (RFC 6604). */
export function isNonExistent(answer: Answer<unknown>): boolean {
  return answer.status === 'absent' && answer.reason === 'no-name' && answer.aliases.length === 0;
}

export interface LookupOptions {
  /** Ask the servers even where a kept answer is at hand, and keep the new one. */
  readonly fresh?: boolean;
  /** Ask for signatures too (DO bit, RFC 3225). */
  readonly dnssec?: boolean;
  /** Ask the resolver not to validate, so that broken signatures can be looked at (CD bit, RFC 4035 section 3.2.2). */
  readonly checkingDisabled?: boolean;
}

export interface Dns {
  /** Looks `name` up. Never throws: every failure is an `unavailable` answer. */
  lookup<T extends RecordType>(
    name: string,
    type: T,
    options?: LookupOptions,
  ): Promise<Answer<RecordData[T]>>;
}
