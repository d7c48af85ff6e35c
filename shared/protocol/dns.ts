/**
 * The DNS port: the lookups of evaluators and checks, and the three kinds of answers.
 *
 * A failed lookup is not a missing record: `absent` is an answer of the authoritative servers, `unavailable` means that
 * there was no answer. The two never share a branch in this code base.
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
  CDS: 59,
  CDNSKEY: 60,
  CAA: 257,
};

/** Where an answer came from, kept so that users can verify it. */
export interface DnsEvidence {
  /** Address and port of the server that answered last, such as `192.0.2.1:53`; missing if none was queried. */
  readonly server?: string;
  /** DNS response code by name (`NOERROR`, `NXDOMAIN`, `SERVFAIL`, ...). */
  readonly rcode?: string;
  /**
   * Extended DNS errors (RFC 8914) in words, if the server sent any. They only explain an answer. Their text is quoted
   * and can be shown: nobody authenticates it.
   */
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

/** RFC 8659 section 4.1. */
export interface CaaRecord {
  readonly flags: number;
  /** In lowercase. */
  readonly tag: string;
  readonly value: string;
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

/** The data of one record in an answer, by type. Names are in lowercase and without trailing dot. */
export interface RecordData {
  A: string;
  AAAA: string;
  CNAME: string;
  NS: string;
  PTR: string;
  MX: MxRecord;
  /** The character-strings of one record, joined without a separator (RFC 7208 section 3.3) and decoded as UTF-8. */
  TXT: string;
  SOA: SoaRecord;
  TLSA: TlsaRecord;
  DS: DsRecord;
  DNSKEY: DnskeyRecord;
  /** The DS and DNSKEY records that a zone asks its parent for (RFC 7344). */
  CDS: DsRecord;
  CDNSKEY: DnskeyRecord;
  CAA: CaaRecord;
}

export type RecordType = keyof RecordData;

/** A signed or unsigned record set exactly as received, for DNSSEC validation. */
export interface RecordSet {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  /** RDATA of each record in wire format, names not compressed. */
  readonly rdata: readonly Uint8Array[];
  readonly signatures: readonly RrsigRecord[];
}

export interface Found<T> {
  readonly status: 'found';
  /**
   * Never empty, and always in the same order. The order in an answer has no meaning and changes from one answer to the
   * next (RFC 2181 section 5).
   */
  readonly records: readonly T[];
  /** The owner name of the records: the end of the CNAME chain, or the queried name. */
  readonly name: string;
  /** The owner names of the CNAME records followed, in order, starting with the queried name; empty without CNAMEs. */
  readonly aliases: readonly string[];
  /** Seconds for which the answer may be cached. */
  readonly ttl: number;
  /**
   * For lookups with `dnssec`: the record sets of the answer and of its CNAME chain with their signatures, and the NSEC
   * and NSEC3 sets that prove a wildcard expansion.
   */
  readonly sets: readonly RecordSet[];
  readonly evidence: DnsEvidence;
}

/** What came with the answer that a record set does not exist, for DNSSEC validation (RFC 4035 section 5.4). */
export interface Denial {
  /** The name without records of this type: the end of the CNAME chain, or the queried name. */
  readonly name: string;
  readonly type: RecordType;
  /** The sets of the CNAME chain, and the SOA, NSEC and NSEC3 sets of the authority section. */
  readonly sets: readonly RecordSet[];
}

export interface Absent {
  readonly status: 'absent';
  /**
   * `no-name`: NXDOMAIN; `no-data`: the name exists without this type (RFC 2308); `invalid-name`: no name can exist with
   * an empty label, a label of more than 63 octets, or more than 255 octets (RFC 1035 section 2.3.4), so none was
   * queried.
   */
  readonly reason: 'no-name' | 'no-data' | 'invalid-name';
  readonly aliases: readonly string[];
  /** For lookups with `dnssec`. */
  readonly denial?: Denial;
  readonly evidence: DnsEvidence;
}

export interface Unavailable {
  readonly status: 'unavailable';
  /** `contradicted`: another source has a record that this answer lacks. */
  readonly reason:
    | 'timeout'
    | 'server-failure'
    | 'refused'
    | 'malformed'
    | 'unreachable'
    | 'deadline'
    /** The check run has made as many lookups as it may. */
    | 'lookup-limit'
    | 'contradicted';
  readonly evidence: DnsEvidence;
}

export type Answer<T> = Found<T> | Absent | Unavailable;

/** Why a lookup failed, in words, with the extended DNS errors of the server. */
export function whyFailed({ reason, evidence: { extendedError } }: Unavailable): string {
  return extendedError === undefined ? reason : `${reason}, ${extendedError}`;
}

/** The name itself does not exist. A name with a CNAME exists, even if the target does not (RFC 6604). */
export function isNonExistent(answer: Answer<unknown>): boolean {
  return answer.status === 'absent' && answer.reason !== 'no-data' && answer.aliases.length === 0;
}

export interface LookupOptions {
  /** Query the servers even if an answer or a failure is cached, and cache the result. */
  readonly fresh?: boolean;
  /**
   * If the lookup failed within the last five minutes, return that failure and query again in the background. For
   * background work, which should not wait for the same silent server again and again.
   */
  readonly retryInBackground?: boolean;
  /**
   * Aborts when the caller stops waiting. The lookup continues for later callers. If the servers were silent for long
   * enough, the lookup counts as failed until an answer arrives.
   */
  readonly signal?: AbortSignal;
  /** Request signatures too (DO bit, RFC 3225). */
  readonly dnssec?: boolean;
  /** Request no validation by the resolver, so that broken signatures are visible (CD bit, RFC 4035 section 3.2.2). */
  readonly checkingDisabled?: boolean;
}

export interface Dns {
  /** Looks up `name`. Never throws: every failure is an `unavailable` answer. */
  lookup<T extends RecordType>(
    name: string,
    type: T,
    options?: LookupOptions,
  ): Promise<Answer<RecordData[T]>>;
  /** Makes a label that nobody can guess, for names that only a wildcard has; random if there is no such method. */
  readonly label?: () => string;
}
