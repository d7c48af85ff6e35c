/** Routes of DMARC and TLS reports. */
import * as z from 'zod/mini';
import { domainPath } from '../../shared/api/common.ts';
import { deleted } from '../../shared/api/domains.ts';
import { mailPath, reportMail, reportMailsQuery } from '../../shared/api/report-mails.ts';
import {
  daysQuery,
  deleteReportQuery,
  dmarcReportsQuery,
  reportPath,
  sourcesQuery,
  tlsReportsQuery,
} from '../../shared/api/report-queries.ts';
import { dmarcSources, dmarcTimeline } from '../../shared/api/report-sources.ts';
import { dmarcReports, tlsReports } from '../../shared/api/reports.ts';
import { list } from '../../shared/protocol/schema.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { v1, v1Errors, v1PostErrors } from '../route-kinds.ts';

/** A report can have 200,000 rows. */
const removal = { timeoutSeconds: 25, memoryMegabytes: 1024 } as const;

export const routes = {
  listDmarcReports: {
    ...v1,
    name: 'listDmarcReports',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/domains/{id}/reports/dmarc',
    handler: 'reports/dmarc',
    summary: 'List DMARC aggregate reports, newest first, with totals of the window',
    description:
      'A report belongs to the window if its `dateRangeBegin` does. Without `startDate` and `endDate`, the window has no limits.',
    errorImpact: 'API clients cannot read DMARC reports.',
    timeoutSeconds: 25,
    memoryMegabytes: 1024,
    request: { path: domainPath, query: dmarcReportsQuery },
    success: {
      status: 200,
      description: 'A page of reports',
      envelope: 'page',
      schema: dmarcReports,
      csv: {
        name: 'listDmarcRecordsCsv',
        summary: 'List the records of DMARC aggregate reports as CSV',
        example: 'report,reportId,orgName',
      },
    },
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
  listTlsReports: {
    ...v1,
    name: 'listTlsReports',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/domains/{id}/reports/tls',
    handler: 'reports/tls',
    summary: 'List TLS reports, newest first, with totals of the window',
    description:
      'A report belongs to the window if its `dateRangeBegin` does. Without `startDate` and `endDate`, the window has no limits.',
    errorImpact: 'API clients cannot read TLS reports.',
    timeoutSeconds: 25,
    memoryMegabytes: 1024,
    request: { path: domainPath, query: tlsReportsQuery },
    success: { status: 200, description: 'A page of reports', envelope: 'page', schema: tlsReports },
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
  listDmarcSources: {
    ...v1,
    name: 'listDmarcSources',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/domains/{id}/reports/dmarc/sources',
    handler: 'reports/dmarc-sources',
    summary: 'List the sources that send as the domain, most messages first',
    description:
      'Covers whole days in UTC: the last 30 days unless `startDate` and `endDate` are given, at most 366 days.',
    errorImpact: 'API clients cannot read the sources that send as their domains.',
    request: { path: domainPath, query: sourcesQuery },
    success: {
      status: 200,
      description: 'A page of sources',
      envelope: 'page',
      schema: dmarcSources,
      csv: {
        name: 'listDmarcSourcesCsv',
        summary: 'List the sources that send as the domain as CSV, all pages at once',
        example: 'sourceIp,network,provider,authenticatedAs',
      },
    },
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
  getDmarcTimeline: {
    ...v1,
    name: 'getDmarcTimeline',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/domains/{id}/reports/dmarc/timeline',
    handler: 'reports/dmarc-timeline',
    summary: 'Get daily totals of DMARC reports',
    description:
      'Covers whole days in UTC: the last 30 days unless `startDate` and `endDate` are given, at most 366 days.',
    errorImpact: 'API clients cannot read daily totals of DMARC reports.',
    request: { path: domainPath, query: daysQuery },
    success: {
      status: 200,
      description: 'The days of the window',
      envelope: 'data',
      schema: dmarcTimeline,
      csv: {
        name: 'getDmarcTimelineCsv',
        summary: 'Get daily totals of DMARC reports as CSV',
        example: 'date,reports,messages',
      },
    },
    errors: ['invalid_request', 'not_found', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
  deleteDmarcReport: {
    ...v1,
    name: 'deleteDmarcReport',
    scope: 'write',
    method: 'DELETE',
    path: '/api/v1/domains/{id}/reports/dmarc/{reportId}',
    handler: 'reports/delete-dmarc',
    summary:
      'Delete a DMARC report with its share of every sum; a mail with the same report does not bring it back',
    errorImpact: 'API clients cannot delete DMARC reports.',
    ...removal,
    request: { path: reportPath, query: deleteReportQuery },
    success: { status: 200, description: 'The report was deleted', envelope: 'data', schema: deleted },
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:write', 'queue:summaries'],
  },
  deleteTlsReport: {
    ...v1,
    name: 'deleteTlsReport',
    scope: 'write',
    method: 'DELETE',
    path: '/api/v1/domains/{id}/reports/tls/{reportId}',
    handler: 'reports/delete-tls',
    summary:
      'Delete a TLS report with its share of every sum; a mail with the same report does not bring it back',
    errorImpact: 'API clients cannot delete TLS reports.',
    ...removal,
    request: { path: reportPath, query: deleteReportQuery },
    success: { status: 200, description: 'The report was deleted', envelope: 'data', schema: deleted },
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:write'],
  },
  listReportMails: {
    ...v1,
    name: 'listReportMails',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/domains/{id}/reports/mails',
    handler: 'reports/mails',
    summary:
      'List the mails that the report mailbox of the domain received, with what became of them, newest first',
    errorImpact: 'API clients cannot see what became of report mails.',
    request: { path: domainPath, query: reportMailsQuery },
    success: { status: 200, description: 'A page of mails', envelope: 'page', schema: list(reportMail) },
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
  getRawReportMail: {
    ...v1,
    name: 'getRawReportMail',
    scope: 'read',
    method: 'GET',
    path: '/api/v1/domains/{id}/reports/mails/{mailId}/raw',
    handler: 'reports/raw-mail',
    summary: 'Download a mail as it arrived',
    description:
      "Mails of up to 4 MB. Failure reports contain parts of people's mail: they, and mails that were not read to the end (`over-quota`, `not-read`, `too-large`, or `unreadable` as a whole), need a token with the scope `admin`.",
    errorImpact: 'API clients cannot download report mails.',
    request: { path: mailPath },
    success: {
      status: 200,
      description: 'The message, with the trace headers that the mail server added',
      envelope: 'bare',
      schema: z.string(),
      contentType: 'message/rfc822',
      example: 'From: noreply-dmarc-support@google.com\r\nSubject: Report domain: example.org\r\n',
      isConfidential: true,
    },
    errors: ['not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read', 'report-mail:read'],
  },
  replayReportMail: {
    ...v1,
    name: 'replayReportMail',
    scope: 'write',
    method: 'POST',
    path: '/api/v1/domains/{id}/reports/mails/{mailId}/replay',
    handler: 'reports/replay',
    summary:
      'Read a mail again; its new outcomes replace the earlier ones, and its deleted reports are restored',
    errorImpact: 'API clients cannot have report mails read again.',
    // API Gateway waits for 30 seconds at most.
    timeoutSeconds: 29,
    memoryMegabytes: 1024,
    request: { path: mailPath },
    success: {
      status: 200,
      description: 'The mail with its new outcomes',
      envelope: 'data',
      schema: reportMail,
    },
    errors: ['not_found', ...v1PostErrors],
    uses: ['organizations:read', 'domain-data:write', 'report-mail:read', 'queue:summaries', 'dns'],
  },
} as const satisfies Record<string, Route>;
