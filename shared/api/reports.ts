/** Responses of the report endpoints: a page of DMARC or TLS reports, with the totals of the window. */
import * as z from 'zod/mini';
import { count, described, text, textOrNull, timestamp, uuid } from '../protocol/schema.ts';
import { type DmarcRecordRow, specification, type TlsReportPolicy } from '../reports/report.ts';
import type { StoredDmarcReport } from '../store/reports/dmarc-reports.ts';
import type { Tally } from '../store/reports/lists.ts';
import type { StoredTlsReport } from '../store/reports/tls-reports.ts';
import { csv } from './csv.ts';
import { sequence } from './sequence.ts';

const percentage = described(z.number().check(z.minimum(0), z.maximum(100)), 'Percentage, with two decimals');

const arrivalFields = {
  receivedAt: described(timestamp, 'When the report was received'),
  authenticated: described(
    z.nullable(z.boolean()),
    'Whether the mail that delivered the report passed DMARC; `null` if unknown, or if the report was imported',
  ),
  warnings: described(count, 'Number of kinds of deviations from the RFCs that were tolerated', 0),
};

const period = {
  dateRangeBegin: described(
    timestamp,
    'Start of the period that the report covers',
    '2026-01-29T00:00:00.000Z',
  ),
  dateRangeEnd: described(timestamp, 'End of the period that the report covers', '2026-01-29T23:59:59.000Z'),
};

const reportIdOfReporter = described(text, 'ID that the reporter gave the report', '2026-01-29.example.org');

const dkimResult = z.object({
  domain: described(text, 'The signing domain (d=)', 'example.org'),
  result: described(text, 'DKIM result (RFC 8601 section 2.7.1)', 'pass'),
  selector: described(textOrNull, 'The selector (s=); `null` if the report does not state it', 's1'),
});

const spfResult = z.object({
  domain: described(text, 'The domain whose record was evaluated', 'example.org'),
  result: described(text, 'SPF result (RFC 7208 section 2.6)', 'pass'),
  scope: described(textOrNull, '`mfrom` or `helo`; `null` if the report does not state it', 'mfrom'),
});

const overrideReason = z.object({
  type: described(text, 'Kind of the reason (RFC 9990)', 'mailing_list'),
  comment: described(textOrNull, 'Comment of the reporter', 'mailing list'),
});

export const dmarcRecord = z.object({
  id: described(uuid, 'ID of the record, the same in every response'),
  sourceIp: described(
    text,
    'The IP address that sent the messages; empty if the report does not state it',
    '192.0.2.25',
  ),
  count: described(count, 'Number of messages', 100),
  disposition: described(
    text,
    'What the receiver did because of the policy: `none`, `quarantine` or `reject`; another value as reported',
    'none',
  ),
  reportedDisposition: described(text, 'As reported; `pass` (RFC 9990) counts as `none`', 'pass'),
  dkim: described(text, 'Whether aligned DKIM passed: `pass` or `fail`', 'pass'),
  spf: described(text, 'Whether aligned SPF passed: `pass` or `fail`', 'fail'),
  headerFrom: described(text, 'The domain in the From header field', 'example.org'),
  envelopeFrom: described(
    textOrNull,
    'The MAIL FROM domain; `null` if the report does not state it',
    'example.org',
  ),
  envelopeTo: described(
    textOrNull,
    'The recipient domain; `null` if the report does not state it',
    'example.net',
  ),
  reasons: described(
    z.array(overrideReason),
    'Why the receiver did not do what the policy asks for; empty if it did',
    [],
  ),
  dkimResults: described(z.array(dkimResult), 'Results of all DKIM signatures, aligned or not'),
  spfResults: described(z.array(spfResult), 'SPF results, aligned or not'),
});

const dmarcReport = z.object({
  id: described(uuid, 'ID of the report in this service'),
  reportId: reportIdOfReporter,
  orgName: described(text, 'Name of the reporter', 'Receiver Example'),
  email: described(text, 'Email address of the reporter', 'dmarc@example.net'),
  extraContactInfo: described(
    textOrNull,
    'Further contact information of the reporter',
    'https://example.net/dmarc',
  ),
  ...period,
  policyDomain: described(text, 'The domain whose policy was applied', 'example.org'),
  policyP: described(
    text,
    'The policy that the report states; if it changed during the period, records can follow the earlier one (RFC 9990)',
    'quarantine',
  ),
  policySp: described(textOrNull, 'The policy of subdomains (sp)', 'reject'),
  policyNp: described(textOrNull, 'The policy of subdomains that do not exist (np)', 'reject'),
  policyAdkim: described(text, 'DKIM alignment mode: `r` (relaxed) or `s` (strict)', 'r'),
  policyAspf: described(text, 'SPF alignment mode: `r` (relaxed) or `s` (strict)', 'r'),
  policyPct: described(z.int(), 'Percentage of messages that the policy applies to (RFC 7489)', 100),
  policyTesting: described(z.boolean(), 'Whether the policy was in test mode (RFC 9989, t=y)', false),
  discoveryMethod: described(
    textOrNull,
    'How the reporter found the policy (RFC 9990): psl or treewalk; null if the report does not say',
    'treewalk',
  ),
  specification: described(specification, 'The specification that the reporter follows'),
  generator: described(textOrNull, 'The software that made the report', 'Reporter 1.0'),
  totalCount: described(count, 'Number of messages', 100),
  passCount: described(count, 'Messages that passed DMARC', 90),
  failCount: described(count, 'Messages that failed DMARC', 10),
  recordCount: described(count, 'Number of records', 3),
  ...arrivalFields,
  records: described(z.optional(z.array(dmarcRecord)), 'Only with `includeRecords=true`'),
});

export const dmarcSummary = z.object({
  totalReports: described(count, 'Number of reports', 1),
  totalMessages: described(count, 'Number of messages', 100),
  passedMessages: described(count, 'Messages that passed DMARC', 90),
  failedMessages: described(count, 'Messages that failed DMARC', 10),
  passRate: described(percentage, 'Percentage of messages that passed DMARC, with two decimals', 90),
});

export const dmarcReports = z.object({
  reports: described(z.array(dmarcReport), 'The reports of this page, newest first'),
  summary: described(dmarcSummary, 'Totals of all reports in the window, including other pages'),
});

const failureDetail = z.object({
  resultType: described(text, 'Kind of the failure (RFC 8460 section 4.3)', 'certificate-expired'),
  sendingMtaIp: described(textOrNull, 'The IP address of the sending host', '192.0.2.25'),
  receivingMxHostname: described(textOrNull, 'The MX host that was connected to', 'mx.example.org'),
  receivingMxHelo: described(textOrNull, 'The name in the greeting of the MX host', 'mx.example.org'),
  receivingIp: described(textOrNull, 'The IP address that was connected to', '198.51.100.25'),
  failedSessionCount: described(count, 'Number of failed sessions', 2),
  additionalInformation: described(textOrNull, 'Further information of the reporter, often a URL', null),
  failureReasonCode: described(textOrNull, 'The error of the sending host', 'certificate has expired'),
});

export const tlsPolicy = z.object({
  id: described(uuid, 'ID of the policy, the same in every response'),
  policyType: described(text, '`sts`, `tlsa`, or `no-policy-found`', 'sts'),
  policyDomain: described(text, 'The domain that the policy is for', 'example.org'),
  policyString: described(z.array(text), 'The lines of the policy', ['version: STSv1', 'mode: enforce']),
  mxHost: described(text, 'The names in `mxHosts`, separated by commas', 'mx.example.org'),
  mxHosts: described(z.array(text), 'The MX host patterns of the policy', ['mx.example.org']),
  successCount: described(count, 'Number of successful sessions', 48),
  failureCount: described(count, 'Number of failed sessions', 2),
  failureDetails: described(z.array(failureDetail), 'The failures, by kind and hosts'),
});

const tlsReport = z.object({
  id: described(uuid, 'ID of the report in this service'),
  reportId: reportIdOfReporter,
  organizationName: described(text, 'Name of the reporter', 'Receiver Example'),
  contactInfo: described(text, 'Contact of the reporter', 'smtp-tls@example.net'),
  ...period,
  totalSuccessCount: described(count, 'Number of successful sessions', 48),
  totalFailureCount: described(count, 'Number of failed sessions', 2),
  policyCount: described(count, 'Number of policies', 1),
  ...arrivalFields,
  policies: described(z.optional(z.array(tlsPolicy)), 'Only with `includePolicies=true`'),
});

export const tlsSummary = z.object({
  totalReports: described(count, 'Number of reports', 1),
  totalConnections: described(count, 'Number of sessions', 50),
  successfulConnections: described(count, 'Number of successful sessions', 48),
  failedConnections: described(count, 'Number of failed sessions', 2),
  successRate: described(percentage, 'Percentage of successful sessions, with two decimals', 96),
});

export const tlsReports = z.object({
  reports: described(z.array(tlsReport), 'The reports of this page, newest first'),
  summary: described(tlsSummary, 'Totals of all reports in the window, including other pages'),
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

export function showTlsSummary({ reports, passed, failed }: Tally): z.output<typeof tlsSummary> {
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
  const records = numbered(rows, (row, n) => ({
    id: rowUuid(report.id, n),
    reportedDisposition: row.disposition,
    ...row,
  }));
  // The arrays of zod's output types are mutable; those of the store are readonly.
  return {
    ...shown,
    records: sequence(records as Iterable<unknown> as Iterable<z.output<typeof dmarcRecord>>),
  };
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
      ...[row.sourceIp, row.count, row.disposition, row.dkim, row.spf],
      ...[row.headerFrom, row.envelopeFrom, row.envelopeTo],
      row.reasons.map(({ type, comment }) => joined([type, comment])).join('; '),
      row.dkimResults.map(({ domain, selector, result }) => joined([domain, selector, result])).join('; '),
      row.spfResults.map(({ domain, scope, result }) => joined([domain, scope, result])).join('; '),
      row.reportedDisposition ?? row.disposition,
    ]);
  }
}

const joined = (parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' ');
