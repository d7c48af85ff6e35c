/** The results of reading a report mail: typed reports, each with warnings about deviations from the RFCs. */

import * as z from 'zod/mini';
import { described } from '../protocol/schema.ts';
import type { ReportWarning } from './warnings.ts';

export const specification = described(
  z.enum(['RFC 7489', 'RFC 9990']),
  'The specification that a DMARC aggregate report follows',
);

/** A DMARC aggregate report (RFC 7489 appendix C, RFC 9990) without its records, which are streamed. */
export const dmarcReportHeader = z.object({
  kind: z.literal('dmarc'),
  reportId: z.string(),
  orgName: z.string(),
  /** The email address of the reporter; empty if missing. */
  email: z.string(),
  extraContactInfo: z.nullable(z.string()),
  /** ISO times, UTC. */
  dateRangeBegin: z.string(),
  dateRangeEnd: z.string(),
  /** Canonical form. */
  policyDomain: z.string(),
  policyP: z.string(),
  policySp: z.nullable(z.string()),
  policyNp: z.nullable(z.string()),
  policyAdkim: z.string(),
  policyAspf: z.string(),
  policyPct: z.number(),
  /** RFC 9990: the policy was published in test mode (`t=y`). */
  testing: z.boolean(),
  /** RFC 9990: how the reporter found the policy: `psl`, `treewalk`, or as reported in lower case; null if not stated. */
  discoveryMethod: z.nullable(z.string()),
  /** The specification that the reporter follows. */
  specification,
  generator: z.nullable(z.string()),
});

export type DmarcReportHeader = Readonly<z.infer<typeof dmarcReportHeader>>;

export interface DmarcRecordRow {
  /** Canonical text; as reported if it is not an address, and empty if missing. */
  readonly sourceIp: string;
  readonly count: number;
  /** `none`, `quarantine`, `reject`, or as reported in lower case. */
  readonly disposition: string;
  /** The disposition as reported in lower case, if it differs: `pass` (RFC 9990), which is stored as `none`. */
  readonly reportedDisposition?: string;
  /** The aligned results of policy_evaluated: `pass` or `fail`. */
  readonly dkim: string;
  readonly spf: string;
  readonly reasons: readonly { readonly type: string; readonly comment: string | null }[];
  /** Domain names are in canonical form. */
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

/** A TLS report (RFC 8460 section 4) without its policies. */
export const tlsReportHeader = z.object({
  kind: z.literal('tls'),
  reportId: z.string(),
  organizationName: z.string(),
  contactInfo: z.string(),
  dateRangeBegin: z.string(),
  dateRangeEnd: z.string(),
});

export type TlsReportHeader = Readonly<z.infer<typeof tlsReportHeader>>;

export interface TlsReport extends TlsReportHeader {
  readonly policies: readonly TlsReportPolicy[];
}

export interface TlsReportPolicy {
  /** `tlsa`, `sts`, `no-policy-found`, or as reported. */
  readonly policyType: string;
  /** Canonical form; empty if neither the policy nor the mail states a domain. */
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

/** Why an item is not a valid report. */
export type RefusalReason = 'not-a-report' | 'unreadable' | 'too-large';

export interface DmarcCounts {
  /** The number of rows. */
  readonly records: number;
  /** Records without a source and without a count, which are skipped. */
  readonly skippedRecords: number;
  /** The sum of the rows' counts; `passed`: the sum for rows with an aligned DKIM or SPF pass. */
  readonly messages: number;
  readonly passed: number;
  readonly failed: number;
}

/** The identity of a report: two SHA-256 hashes in hexadecimal. */
export interface ReportIdentity {
  /** Hash of policy domain, submitter, report id, and period: equal for all versions of the same report. */
  readonly key: string;
  /** Hash of the content, independent of the order of records: the same key with another content is a conflict. */
  readonly contentHash: string;
}

export interface DmarcReading {
  readonly outcome: 'dmarc';
  /** Where it was found: file names from the outside in, such as `report.zip/report.xml`; only for people. */
  readonly source: string;
  readonly report: DmarcReportHeader;
  readonly warnings: readonly ReportWarning[];
  readonly counts: DmarcCounts;
  readonly identity: ReportIdentity;
  /** Passes all rows in report order and in batches; can be called more than once. */
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
 * A report about a single message (RFC 5965, RFC 6591, RFC 9991). It is only recognized, because it contains personal
 * data.
 */
export interface FailureReading {
  readonly outcome: 'failure';
  readonly source: string;
}

export interface Refusal {
  readonly outcome: RefusalReason;
  readonly source: string;
  /** A sentence for people. */
  readonly detail: string;
}

/** The result of reading one item in a mail. */
export type ReportReading = DmarcReading | TlsReading | FailureReading | Refusal;
