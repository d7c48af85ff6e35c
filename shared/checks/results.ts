/**
 * The results of the eight checks, field by field as the interface specification lists them, with three extensions:
 * `state`, `findings` and, where a result is an older one kept because it could not be renewed, `asOf`.
 * A field whose fact is not there (no record, no policy) is null.
 */
import type { Finding } from '../protocol/findings/finding.ts';
import type { ExpandedTerm, LookupCost, ResolvedRecord } from '../protocol/spf/expand.ts';

/**
 * `pass`: as it should be. `warning`: works, with findings. `fail`: there and broken. `absent`: not there.
 * `not-applicable`: makes no sense for this domain. `unknown`: could not be asked; says nothing about the domain.
 */
export type CheckState = 'pass' | 'warning' | 'fail' | 'absent' | 'not-applicable' | 'unknown';

export interface CheckOutcome {
  readonly state: CheckState;
  readonly findings: readonly Finding[];
  /** ISO time of the observation, where it is older than this run. */
  readonly asOf?: string;
}

/** Of a check on records of which a name may hold one only. */
interface SingleRecord {
  /** All of them where the name has several: receivers then take none, or any. */
  readonly records?: readonly string[];
}

/** Whether the domain takes mail, seen from outside (the interface specification); null when that could not be asked. */
export type EmailReceptionCapability = 'active' | 'null-mx' | 'no-mail' | 'unreachable' | 'relay-denied';

export interface MxHost {
  readonly hostname: string;
  readonly priority: number;
  readonly ip: string | null;
  /** A TLS session was set up after STARTTLS; null when the host could not be asked. */
  readonly tlsSupported: boolean | null;
  /** STARTTLS was offered; null when the host could not be asked. */
  readonly starttlsSupported: boolean | null;
  readonly certificateExpiry: string | null;
  readonly state: CheckState;
}

export interface MxResult extends CheckOutcome {
  readonly records: readonly { readonly priority: number; readonly exchange: string }[];
  readonly hosts: readonly MxHost[];
  /** Every MX host sets up TLS; null when that could not be asked. */
  readonly tlsSupported: boolean | null;
  /** Every MX host has a usable TLSA record in an authenticated answer (RFC 7672); null when that could not be asked. */
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
  /** Base64 as published, white space removed; the empty string is a revoked key (RFC 6376 section 3.6.1). */
  readonly publicKey: string | null;
  readonly valid: boolean;
  readonly revoked: boolean;
  readonly testing: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** The DKIM check as a whole: one result per selector found, and what was looked for. */
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
  /** The domain whose record applies: the one checked, or an ancestor it inherits from. */
  readonly policyDomain: string | null;
  /** The policy that receivers apply to this domain: `policy`, or the ancestor's subdomain policy. */
  readonly effectivePolicy: 'none' | 'quarantine' | 'reject' | null;
  /** `t=y`: receivers apply one step less than the policy (RFC 9989). */
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
  /** Digest in upper-case hexadecimal. */
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

/** How a domain is used (the interface specification); decides what is asked of it. */
export type UsageType = 'sends-and-receives' | 'receives-only' | 'sends-only' | 'parked';
