/** Responses of the report endpoints: a page of DMARC or TLS reports, with the totals of the window. */
import * as z from 'zod/mini';
import { count, described, text, textOrNull, timestamp, uuid } from '../protocol/schema.ts';
import type { DmarcRecordRow, TlsReportPolicy } from '../reports/report.ts';
import { sequence } from '../runtime/http/body.ts';
import type { Tally } from '../store/reports/days.ts';
import type { StoredDmarcReport } from '../store/reports/dmarc-reports.ts';
import type { StoredTlsReport } from '../store/reports/tls-reports.ts';
import { csv } from './csv.ts';

const percentage = described(z.number().check(z.minimum(0), z.maximum(100)), 'Percentage, with two decimals');

const arrivalFields = {
  receivedAt: timestamp,
  authenticated: described(
    z.nullable(z.boolean()),
    'Whether the mail that delivered the report passed DMARC; `null` if unknown, or if the report was imported',
  ),
  warnings: described(count, 'Number of kinds of deviations from the RFCs that were tolerated'),
};

const dmarcRecord = z.object({
  id: uuid,
  sourceIp: described(text, 'Empty if the report does not state it'),
  count,
  disposition: described(text, '`none`, `quarantine` or `reject`; another value as reported'),
  reportedDisposition: described(text, 'As reported; `pass` (RFC 9990) counts as `none`'),
  dkim: described(text, 'Whether aligned DKIM passed: `pass` or `fail`'),
  spf: described(text, 'Whether aligned SPF passed: `pass` or `fail`'),
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
  email: described(text, 'Email address of the reporter'),
  extraContactInfo: textOrNull,
  dateRangeBegin: timestamp,
  dateRangeEnd: timestamp,
  policyDomain: text,
  policyP: described(
    text,
    'The policy that the report states; if it changed during the period, records can follow the earlier one (RFC 9990)',
  ),
  policySp: textOrNull,
  policyNp: textOrNull,
  policyAdkim: text,
  policyAspf: text,
  policyPct: z.int(),
  policyTesting: described(z.boolean(), 'Whether the policy was in test mode (RFC 9989, t=y)'),
  discoveryMethod: described(
    textOrNull,
    'How the reporter found the policy (RFC 9990): psl or treewalk; null if the report does not say',
  ),
  specification: described(
    z.nullable(z.enum(['RFC 7489', 'RFC 9990'])),
    'The specification that the reporter follows; null for reports that an earlier release stored',
  ),
  generator: textOrNull,
  totalCount: described(count, 'Number of messages'),
  passCount: described(count, 'Number of messages that passed DMARC'),
  failCount: described(count, 'Number of messages that failed DMARC'),
  recordCount: count,
  ...arrivalFields,
  records: described(z.optional(z.array(dmarcRecord)), 'Only with `includeRecords=true`'),
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
  summary: described(dmarcSummary, 'Totals of all reports in the window, including other pages'),
});

const tlsPolicy = z.object({
  id: uuid,
  policyType: text,
  policyDomain: text,
  policyString: z.array(text),
  mxHost: described(text, 'The names in `mxHosts`, separated by commas'),
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
  policies: described(z.optional(z.array(tlsPolicy)), 'Only with `includePolicies=true`'),
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
    'Totals of all reports in the window, including other pages',
  ),
});

/** A percentage with two decimals; 0 if `whole` is 0. */
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

/** Includes `rows` only if requested, because there can be many. */
export function showDmarcReport(
  { kind, testing, ...report }: StoredDmarcReport,
  rows?: Iterable<DmarcRecordRow>,
): z.output<typeof dmarcReport> {
  const shown = { ...report, policyTesting: testing };
  if (rows === undefined) return shown;
  const records = numbered(rows, (row, n) => ({ id: rowUuid(report.id, n), ...row, ...dispositionsOf(row) }));
  // The arrays of zod's output types are mutable; those of the store are readonly.
  return {
    ...shown,
    records: sequence(records as Iterable<unknown> as Iterable<z.output<typeof dmarcRecord>>),
  };
}

/** Rows of earlier releases have `pass` as their disposition. */
function dispositionsOf({ disposition, reportedDisposition = disposition }: DmarcRecordRow) {
  return { disposition: disposition === 'pass' ? 'none' : disposition, reportedDisposition };
}

/** Includes `policies` only if requested. */
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
 * The UUID of a row: the UUID of its report with the row number in the last 48 bits. It is the same in every response,
 * and many of them compress well.
 */
const rowUuid = (reportId: string, n: number): string =>
  `${reportId.slice(0, -12)}${n.toString(16).padStart(12, '0')}`;

/** One line per record. */
export function dmarcRecordsCsv(reports: Iterable<ReportWithRows>): Iterable<string> {
  const columns = [
    ...['report', 'reportId', 'orgName', 'dateRangeBegin', 'dateRangeEnd', 'policyDomain', 'policyP', 'id'],
    ...['sourceIp', 'count', 'disposition', 'dkim', 'spf', 'headerFrom', 'envelopeFrom', 'envelopeTo'],
    ...['reasons', 'dkimResults', 'spfResults', 'reportedDisposition'],
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
      ...[row.sourceIp, row.count, dispositionsOf(row).disposition, row.dkim, row.spf],
      ...[row.headerFrom, row.envelopeFrom, row.envelopeTo],
      row.reasons.map(({ type, comment }) => joined([type, comment])).join('; '),
      row.dkimResults.map(({ domain, selector, result }) => joined([domain, selector, result])).join('; '),
      row.spfResults.map(({ domain, scope, result }) => joined([domain, scope, result])).join('; '),
      dispositionsOf(row).reportedDisposition,
    ]);
  }
}

const joined = (parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' ');
