/** Answers of the report endpoints: a page of DMARC or of TLS reports, with the sums over a window. */
import * as z from 'zod/mini';
import type { DmarcRecordRow, TlsReportPolicy } from '../reports/report.ts';
import { sequence } from '../runtime/body.ts';
import type { Tally } from '../store/reports/days.ts';
import type { StoredDmarcReport } from '../store/reports/dmarc-reports.ts';
import type { StoredTlsReport } from '../store/reports/tls-reports.ts';
import { count, described, text, textOrNull, timestamp, uuid } from './common.ts';
import { csv } from './csv.ts';

const percentage = described(z.number().check(z.minimum(0), z.maximum(100)), 'Percentage with two decimals');

const arrivalFields = {
  receivedAt: timestamp,
  authenticated: described(
    z.nullable(z.boolean()),
    'Whether the mail that brought the report passed DMARC itself; null where that was not asked',
  ),
  warnings: described(count, 'Kinds of deviations from the RFCs that were read past'),
};

const dmarcRecord = z.object({
  id: uuid,
  sourceIp: described(text, 'Empty where the reporter gave none'),
  count,
  disposition: text,
  dkim: described(text, 'Whether DKIM passed aligned: pass or fail'),
  spf: described(text, 'Whether SPF passed aligned: pass or fail'),
  headerFrom: text,
  envelopeFrom: textOrNull,
  envelopeTo: textOrNull,
  reasons: z.array(z.object({ type: text, comment: textOrNull })),
  dkimResults: z.array(z.object({ domain: text, result: text, selector: textOrNull })),
  spfResults: z.array(z.object({ domain: text, result: text, scope: textOrNull })),
});

const dmarcReport = z.object({
  id: uuid,
  reportId: text,
  orgName: text,
  email: described(text, 'Contact of the reporter'),
  extraContactInfo: textOrNull,
  dateRangeBegin: timestamp,
  dateRangeEnd: timestamp,
  policyDomain: text,
  policyP: text,
  policySp: textOrNull,
  policyNp: textOrNull,
  policyAdkim: text,
  policyAspf: text,
  policyPct: z.int(),
  policyTesting: described(z.boolean(), 'The policy was published in test mode (RFC 9989, t=y)'),
  generator: textOrNull,
  totalCount: described(count, 'Messages'),
  passCount: described(count, 'Messages that passed DMARC'),
  failCount: described(count, 'Messages that failed DMARC'),
  recordCount: count,
  ...arrivalFields,
  records: described(z.optional(z.array(dmarcRecord)), 'Only with includeRecords=true'),
});

export const dmarcSummary = z.object({
  totalReports: count,
  totalMessages: count,
  passedMessages: count,
  failedMessages: count,
  passRate: percentage,
});

export const dmarcReports = z.object({
  reports: z.array(dmarcReport),
  summary: described(dmarcSummary, 'Of all reports of the window, on whichever page'),
});

const tlsPolicy = z.object({
  id: uuid,
  policyType: text,
  policyDomain: text,
  policyString: z.array(text),
  mxHost: described(text, 'The names of mxHosts, separated by commas'),
  mxHosts: z.array(text),
  successCount: count,
  failureCount: count,
  failureDetails: z.array(
    z.object({
      resultType: text,
      sendingMtaIp: textOrNull,
      receivingMxHostname: textOrNull,
      receivingMxHelo: textOrNull,
      receivingIp: textOrNull,
      failedSessionCount: count,
      additionalInformation: textOrNull,
      failureReasonCode: textOrNull,
    }),
  ),
});

const tlsReport = z.object({
  id: uuid,
  reportId: text,
  organizationName: text,
  contactInfo: text,
  dateRangeBegin: timestamp,
  dateRangeEnd: timestamp,
  totalSuccessCount: count,
  totalFailureCount: count,
  policyCount: count,
  ...arrivalFields,
  policies: described(z.optional(z.array(tlsPolicy)), 'Only with includePolicies=true'),
});

export const tlsReports = z.object({
  reports: z.array(tlsReport),
  summary: described(
    z.object({
      totalReports: count,
      totalConnections: count,
      successfulConnections: count,
      failedConnections: count,
      successRate: percentage,
    }),
    'Of all reports of the window, on whichever page',
  ),
});

/** A share in percent with two decimals; 0 where there is nothing to divide. */
export const rate = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

export function showDmarcSummary({ reports, passed, failed }: Tally): z.output<typeof dmarcSummary> {
  return {
    totalReports: reports,
    totalMessages: passed + failed,
    passedMessages: passed,
    failedMessages: failed,
    passRate: rate(passed, passed + failed),
  };
}

export function showTlsSummary({ reports, passed, failed }: Tally): z.output<typeof tlsReports>['summary'] {
  return {
    totalReports: reports,
    totalConnections: passed + failed,
    successfulConnections: passed,
    failedConnections: failed,
    successRate: rate(passed, passed + failed),
  };
}

/** `rows`, which may be many, only where they were asked for. */
export function showDmarcReport(
  { kind, testing, ...report }: StoredDmarcReport,
  rows?: Iterable<DmarcRecordRow>,
): z.output<typeof dmarcReport> {
  const shown = { ...report, policyTesting: testing };
  if (rows === undefined) return shown;
  const records = numbered(rows, (row, n) => ({ id: rowUuid(report.id, n), ...row }));
  // Zod's arrays can be written to; the reader's own cannot.
  return {
    ...shown,
    records: sequence(records as Iterable<unknown> as Iterable<z.output<typeof dmarcRecord>>),
  };
}

/** `policies` only where they were asked for. */
export function showTlsReport(
  { kind, ...report }: StoredTlsReport,
  policies?: Iterable<TlsReportPolicy>,
): z.output<typeof tlsReport> {
  if (policies === undefined) return report;
  const shown = numbered(policies, ({ mxHost, ...policy }, n) => ({
    id: rowUuid(report.id, n),
    ...policy,
    mxHost: mxHost.join(', '),
    mxHosts: mxHost,
  }));
  return {
    ...report,
    policies: sequence(shown as Iterable<unknown> as Iterable<z.output<typeof tlsPolicy>>),
  };
}

function* numbered<A, B>(items: Iterable<A>, show: (item: A, n: number) => B): Iterable<B> {
  let n = 0;
  for (const item of items) yield show(item, n++);
}

/**
 * A row's UUID: its report's with the number of the row in place of the last 48 bits. So it is the same at every
 * request, and a hundred thousand of them compress to almost nothing.
 */
const rowUuid = (reportId: string, n: number): string =>
  `${reportId.slice(0, -12)}${n.toString(16).padStart(12, '0')}`;

/** A line for each record. */
export function dmarcRecordsCsv(reports: Iterable<ReportWithRows>): Iterable<string> {
  const columns = [
    ...['report', 'reportId', 'orgName', 'dateRangeBegin', 'dateRangeEnd', 'policyDomain', 'policyP', 'id'],
    ...['sourceIp', 'count', 'disposition', 'dkim', 'spf', 'headerFrom', 'envelopeFrom', 'envelopeTo'],
    ...['reasons', 'dkimResults', 'spfResults'],
  ];
  return csv(columns, recordCells(reports));
}

interface ReportWithRows {
  readonly report: StoredDmarcReport;
  readonly rows: Iterable<DmarcRecordRow>;
}

function* recordCells(reports: Iterable<ReportWithRows>) {
  for (const { report, rows } of reports) {
    yield* numbered(rows, (row, n) => [
      ...[report.id, report.reportId, report.orgName, report.dateRangeBegin, report.dateRangeEnd],
      ...[report.policyDomain, report.policyP, rowUuid(report.id, n)],
      ...[row.sourceIp, row.count, row.disposition, row.dkim, row.spf],
      ...[row.headerFrom, row.envelopeFrom, row.envelopeTo],
      row.reasons.map(({ type, comment }) => joined([type, comment])).join('; '),
      row.dkimResults.map(({ domain, selector, result }) => joined([domain, selector, result])).join('; '),
      row.spfResults.map(({ domain, scope, result }) => joined([domain, scope, result])).join('; '),
    ]);
  }
}

const joined = (parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' ');
