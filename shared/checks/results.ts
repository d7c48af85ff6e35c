/**
 * The results of the eight checks, with the fields that the interface specification lists and three extensions:
 * `state`, `findings` and, in a last known result, `asOf`. A field without a value (no record, no policy) is null.
 */
import type { Finding } from '../protocol/findings/finding.ts';
import type { ExpandedTerm, LookupCost, ResolvedRecord } from '../protocol/spf/expand.ts';

/**
 * `pass`: correct. `warning`: works, but has findings. `fail`: exists, but is broken. `absent`: does not exist.
 * `not-applicable`: not relevant for this domain. `unknown`: a lookup, fetch or connection failed, which says nothing
 * about the domain.
 */
export type CheckState = 'pass' | 'warning' | 'fail' | 'absent' | 'not-applicable' | 'unknown';

export interface CheckOutcome {
  readonly state: CheckState;
  readonly findings: readonly Finding[];
  /** ISO time of the observation, if it is older than this check run. */
  readonly asOf?: string;
}

/** For checks of records of which a name must have only one. */
interface SingleRecord {
  /** All records, if the name has several: receivers then use none or any of them. */
  readonly records?: readonly string[];
}

/** Whether the domain accepts mail, seen from outside (interface specification); null if that could not be checked. */
export type EmailReceptionCapability = 'active' | 'null-mx' | 'no-mail' | 'unreachable' | 'relay-denied';

export interface MxHost {
  readonly hostname: string;
  readonly priority: number;
  readonly ip: string | null;
  /** STARTTLS established a TLS session; null if the host could not be checked. */
  readonly tlsSupported: boolean | null;
  /** The host offers STARTTLS; null if it could not be checked. */
  readonly starttlsSupported: boolean | null;
  readonly certificateExpiry: string | null;
  readonly state: CheckState;
}

export interface MxResult extends CheckOutcome {
  readonly records: readonly { readonly priority: number; readonly exchange: string }[];
  readonly hosts: readonly MxHost[];
  /** Every MX host establishes TLS; null if that could not be checked. */
  readonly tlsSupported: boolean | null;
  /** Every MX host has a usable TLSA record in an authenticated answer (RFC 7672); null if unknown. */
  readonly daneSupported: boolean | null;
  readonly emailReceptionCapability: EmailReceptionCapability | null;
}

export interface SpfResult extends CheckOutcome, SingleRecord {
  readonly record: string | null;
  readonly version: string | null;
  readonly valid: boolean;
  readonly allPolicy: string | null;
  readonly mechanisms: readonly ExpandedTerm[];
  readonly includeTree: readonly ResolvedRecord[];
  readonly lookupBreakdown: readonly LookupCost[];
  readonly totalLookupCount: number;
  readonly flattenedIps: readonly string[];
  readonly detectedProviders: readonly string[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface DkimResult extends CheckOutcome, SingleRecord {
  readonly selector: string;
  readonly record: string | null;
  readonly version: string | null;
  /** `rsa` or `ed25519`. */
  readonly keyType: string | null;
  /** Bits. */
  readonly keySize: number | null;
  /** Base64 as published, whitespace removed; the empty string is a revoked key (RFC 6376 section 3.6.1). */
  readonly publicKey: string | null;
  readonly valid: boolean;
  readonly revoked: boolean;
  readonly testing: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** The DKIM check as a whole: one result per selector found, and findings about the search. */
export interface DkimCheck extends CheckOutcome {
  readonly selectors: readonly DkimResult[];
}

export interface DmarcResult extends CheckOutcome, SingleRecord {
  readonly record: string | null;
  readonly version: string | null;
  readonly policy: string | null;
  readonly subdomainPolicy: string | null;
  readonly percentage: number | null;
  readonly aspf: string | null;
  readonly adkim: string | null;
  readonly rua: readonly string[];
  readonly ruf: readonly string[];
  readonly valid: boolean;
  /** The domain whose record applies: the checked domain, or an ancestor that it inherits from. */
  readonly policyDomain: string | null;
  /** The policy that receivers apply to this domain: `policy`, or the subdomain policy of the ancestor. */
  readonly effectivePolicy: 'none' | 'quarantine' | 'reject' | null;
  /** `t=y` (test mode): receivers apply the next weaker policy (RFC 9989). */
  readonly testing: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface MtaStsResult extends CheckOutcome, SingleRecord {
  readonly dnsRecord: string | null;
  readonly dnsVersion: string | null;
  readonly dnsId: string | null;
  readonly policyFetched: boolean;
  readonly policyVersion: string | null;
  readonly policyMode: string | null;
  readonly policyMx: readonly string[];
  readonly policyMaxAge: number | null;
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface TlsRptResult extends CheckOutcome, SingleRecord {
  readonly record: string | null;
  readonly version: string | null;
  readonly rua: readonly string[];
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface BimiResult extends CheckOutcome, SingleRecord {
  readonly selector: string;
  readonly record: string | null;
  readonly version: string | null;
  readonly location: string | null;
  readonly authority: string | null;
  readonly logoFetched: boolean;
  readonly logoValid: boolean;
  readonly logoContentType: string | null;
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface DnssecResult extends CheckOutcome {
  readonly enabled: boolean;
  readonly valid: boolean;
  readonly chainValid: boolean;
  /** Digest in uppercase hexadecimal. */
  readonly dsRecords: readonly {
    readonly keyTag: number;
    readonly algorithm: number;
    readonly digestType: number;
    readonly digest: string;
  }[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface CheckResults {
  readonly mx: MxResult;
  readonly spf: SpfResult;
  readonly dkim: DkimCheck;
  readonly dmarc: DmarcResult;
  readonly mtaSts: MtaStsResult;
  readonly tlsRpt: TlsRptResult;
  readonly bimi: BimiResult;
  readonly dnssec: DnssecResult;
}

export type CheckName = keyof CheckResults;

/** How a domain is used (interface specification). Decides what is required of it. */
export type UsageType = 'sends-and-receives' | 'receives-only' | 'sends-only' | 'parked';
