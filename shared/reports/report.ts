/** What was read from a report mail: typed reports, each with a warning for everything that was not as the RFCs say. */

import type { WarningId } from './warnings.ts';

/** A deviation that was read past, once per id. `describe()` of warnings.ts says it in a sentence. */
export interface ReportWarning {
  readonly id: WarningId;
  /** How often it occurs in the report. */
  readonly count: number;
  /** Where it stands first, as a path such as `record[3]/row/count`; records are counted from 1. */
  readonly at?: string;
  /** What stood there first, at most 100 characters. */
  readonly value?: string;
}

/** A DMARC aggregate report (RFC 7489 appendix C, RFC 9990) without its records, which come one by one. */
export interface DmarcReportHeader {
  readonly kind: 'dmarc';
  readonly reportId: string;
  readonly orgName: string;
  /** Contact of the reporter; the empty string where there is none. */
  readonly email: string;
  readonly extraContactInfo: string | null;
  /** ISO times, UTC. */
  readonly dateRangeBegin: string;
  readonly dateRangeEnd: string;
  /** Canonical form. */
  readonly policyDomain: string;
  readonly policyP: string;
  readonly policySp: string | null;
  readonly policyNp: string | null;
  readonly policyAdkim: string;
  readonly policyAspf: string;
  readonly policyPct: number;
  /** RFC 9990: the policy was published in test mode (`t=y`). */
  readonly testing: boolean;
  readonly generator: string | null;
}

export interface DmarcRecordRow {
  /** Canonical text; as reported where it is no address, and empty where the reporter gave none. */
  readonly sourceIp: string;
  readonly count: number;
  /** `none`, `quarantine`, `reject`, `pass`, or as reported in lower case. */
  readonly disposition: string;
  /** The aligned results of policy_evaluated: `pass` or `fail`. */
  readonly dkim: string;
  readonly spf: string;
  readonly reasons: readonly { readonly type: string; readonly comment: string | null }[];
  /** Names are in canonical form where they are domain names. */
  readonly headerFrom: string;
  readonly envelopeFrom: string | null;
  readonly envelopeTo: string | null;
  readonly dkimResults: readonly {
    readonly domain: string;
    readonly result: string;
    readonly selector: string | null;
  }[];
  readonly spfResults: readonly {
    readonly domain: string;
    readonly result: string;
    readonly scope: string | null;
  }[];
}

/** A TLS report (RFC 8460 section 4). */
export interface TlsReport {
  readonly kind: 'tls';
  readonly reportId: string;
  readonly organizationName: string;
  readonly contactInfo: string;
  readonly dateRangeBegin: string;
  readonly dateRangeEnd: string;
  readonly policies: readonly TlsReportPolicy[];
}

export interface TlsReportPolicy {
  /** `tlsa`, `sts`, `no-policy-found`, or as reported. */
  readonly policyType: string;
  /** Canonical form; empty where neither the policy nor the mail names a domain. */
  readonly policyDomain: string;
  readonly policyString: readonly string[];
  readonly mxHost: readonly string[];
  readonly successCount: number;
  readonly failureCount: number;
  readonly failureDetails: readonly TlsFailureDetail[];
}

export interface TlsFailureDetail {
  readonly resultType: string;
  readonly sendingMtaIp: string | null;
  readonly receivingMxHostname: string | null;
  readonly receivingMxHelo: string | null;
  readonly receivingIp: string | null;
  readonly failedSessionCount: number;
  readonly additionalInformation: string | null;
  readonly failureReasonCode: string | null;
}

/** Why something that arrived is not a report that counts. */
export type RefusalReason = 'not-a-report' | 'unreadable' | 'too-large';

export interface DmarcCounts {
  /** Rows that were read, which are the rows that are handed over. */
  readonly records: number;
  /** Records that hold neither a source nor a count and so no row. */
  readonly skippedRecords: number;
  /** The sum of the rows' counts; `passed` of them in rows where DKIM or SPF passed aligned. */
  readonly messages: number;
  readonly passed: number;
  readonly failed: number;
}

/** What tells a report from every other one. Both are SHA-256 in hexadecimal. */
export interface ReportIdentity {
  /** Of policy domain, submitter, report id, begin and end: the same in everything that claims to be this report. */
  readonly key: string;
  /** Of what it states, whatever the order of its records: same key and other content is a conflict. */
  readonly contentHash: string;
}

export interface DmarcReading {
  readonly outcome: 'dmarc';
  /** Where it was found: names from the outside in, such as `report.zip/report.xml`; for people only. */
  readonly source: string;
  readonly report: DmarcReportHeader;
  readonly warnings: readonly ReportWarning[];
  readonly counts: DmarcCounts;
  readonly identity: ReportIdentity;
  /** Hands over all rows in the order of the report, in batches; may be called again. */
  readonly eachRecords: (onRecords: RecordConsumer) => Promise<void>;
}

export type RecordConsumer = (rows: readonly DmarcRecordRow[]) => Promise<void> | void;

export interface TlsReading {
  readonly outcome: 'tls';
  readonly source: string;
  readonly report: TlsReport;
  readonly warnings: readonly ReportWarning[];
  readonly counts: { readonly successful: number; readonly failed: number };
  readonly identity: ReportIdentity;
}

/**
 * A report about a single message (RFC 5965, RFC 6591, RFC 9991): recognised and no more than that, since it holds
 * personal data. Null: not stated.
 */
export interface FailureReading {
  readonly outcome: 'failure';
  readonly source: string;
  /** `abuse`, `auth-failure`, ... in lower case; null in the plain-text forms. */
  readonly feedbackType: string | null;
  readonly reportedDomain: string | null;
  readonly sourceIp: string | null;
  readonly arrivalDate: string | null;
}

export interface Refusal {
  readonly outcome: RefusalReason;
  readonly source: string;
  /** A sentence that a person understands. */
  readonly detail: string;
}

/** One thing that a mail carried, and what it was read as. */
export type ReportOutcome = DmarcReading | TlsReading | FailureReading | Refusal;
