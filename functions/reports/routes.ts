/** Routes of DMARC and TLS reports. */
import * as z from 'zod/mini';
import { domainPath } from '../../shared/api/common.ts';
import { deleted } from '../../shared/api/domains.ts';
import { reportMail, reportMailsQuery } from '../../shared/api/report-mails.ts';
import {
  daysQuery,
  dmarcReportsQuery,
  sourcesQuery,
  tlsReportsQuery,
} from '../../shared/api/report-queries.ts';
import { dmarcSources, dmarcTimeline } from '../../shared/api/report-sources.ts';
import { dmarcReports, tlsReports } from '../../shared/api/reports.ts';
import { operation as deleteDmarcReport } from '../../shared/operations/reports/delete-dmarc-report.ts';
import { operation as deleteTlsReport } from '../../shared/operations/reports/delete-tls-report.ts';
import { operation as getRawReportMail } from '../../shared/operations/reports/get-raw-report-mail.ts';
import { operation as replayReportMail } from '../../shared/operations/reports/replay-report-mail.ts';
import { list } from '../../shared/protocol/schema.ts';
import { csv } from '../../shared/runtime/http/route.ts';
import { data, heavy, named, paged, performs, reads, v1Errors } from '../route-kinds.ts';

const READ = ['GET', 'HEAD'];

export const routes = named({
  listDmarcReports: {
    ...reads('/api/v1/domains/{id}/reports/dmarc', { path: domainPath, query: dmarcReportsQuery }),
    handler: 'reports/dmarc',
    summary: 'List DMARC aggregate reports, newest first, with totals of the window',
    description:
      'A report belongs to the window if its `dateRangeBegin` does. Without `startDate` and `endDate`, the window has no limits.',
    errorImpact: 'API clients cannot read DMARC reports.',
    ...heavy,
    success: {
      ...paged('A page of reports', dmarcReports),
      formats: [
        csv({
          name: 'listDmarcRecordsCsv',
          summary: 'List the records of DMARC aggregate reports as CSV',
          example: 'report,reportId,orgName',
        }),
      ],
    },
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read', 'page-keys:renew'],
  },
  listTlsReports: {
    ...reads('/api/v1/domains/{id}/reports/tls', { path: domainPath, query: tlsReportsQuery }),
    handler: 'reports/tls',
    summary: 'List TLS reports, newest first, with totals of the window',
    description:
      'A report belongs to the window if its `dateRangeBegin` does. Without `startDate` and `endDate`, the window has no limits.',
    errorImpact: 'API clients cannot read TLS reports.',
    ...heavy,
    success: paged('A page of reports', tlsReports),
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read', 'page-keys:renew'],
  },
  listDmarcSources: {
    ...reads('/api/v1/domains/{id}/reports/dmarc/sources', { path: domainPath, query: sourcesQuery }),
    handler: 'reports/dmarc-sources',
    summary: 'List the sources that send as the domain, most messages first',
    description:
      'Covers whole days in UTC: the last 30 days unless `startDate` and `endDate` are given, at most 366 days.',
    errorImpact: 'API clients cannot read the sources that send as their domains.',
    success: {
      ...paged('A page of sources', dmarcSources),
      formats: [
        csv({
          name: 'listDmarcSourcesCsv',
          summary: 'List the sources that send as the domain as CSV, all pages at once',
          example: 'sourceIp,network,provider,authenticatedAs',
          without: ['page', 'limit'],
        }),
      ],
    },
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read'],
  },
  getDmarcTimeline: {
    ...reads('/api/v1/domains/{id}/reports/dmarc/timeline', { path: domainPath, query: daysQuery }),
    handler: 'reports/dmarc-timeline',
    summary: 'Get daily totals of DMARC reports',
    description:
      'Covers whole days in UTC: the last 30 days unless `startDate` and `endDate` are given, at most 366 days.',
    errorImpact: 'API clients cannot read daily totals of DMARC reports.',
    success: {
      ...data('The days of the window', dmarcTimeline),
      formats: [
        csv({
          name: 'getDmarcTimelineCsv',
          summary: 'Get daily totals of DMARC reports as CSV',
          example: 'date,reports,messages',
        }),
      ],
    },
    uses: ['organizations:read', 'domain-data:read'],
  },
  deleteDmarcReport: {
    ...performs('DELETE', '/api/v1/domains/{id}/reports/dmarc/{reportId}', deleteDmarcReport),
    reserved: { sources: READ, 'sources.csv': READ, timeline: READ, 'timeline.csv': READ },
    handler: 'reports/delete-dmarc',
    errorImpact: 'API clients cannot delete DMARC reports.',
    ...heavy,
    success: data('The report was deleted', deleted),
  },
  deleteTlsReport: {
    ...performs('DELETE', '/api/v1/domains/{id}/reports/tls/{reportId}', deleteTlsReport),
    handler: 'reports/delete-tls',
    errorImpact: 'API clients cannot delete TLS reports.',
    ...heavy,
    success: data('The report was deleted', deleted),
  },
  listReportMails: {
    ...reads('/api/v1/domains/{id}/reports/mails', { path: domainPath, query: reportMailsQuery }),
    handler: 'reports/mails',
    summary:
      'List the mails that the report mailbox of the domain received, with what became of them, newest first',
    errorImpact: 'API clients cannot see what became of report mails.',
    success: paged('A page of mails', list(reportMail)),
    errors: ['invalid_request', 'not_found', 'payload_too_large', ...v1Errors],
    uses: ['organizations:read', 'domain-data:read', 'page-keys:renew'],
  },
  getRawReportMail: {
    ...performs('GET', '/api/v1/domains/{id}/reports/mails/{mailId}/raw', getRawReportMail),
    handler: 'reports/raw-mail',
    errorImpact: 'API clients cannot download report mails.',
    success: {
      status: 200,
      description: 'The message, with the trace headers that the mail server added',
      envelope: 'bare',
      schema: z.string(),
      contentType: 'message/rfc822',
      example: 'From: noreply-dmarc-support@google.com\r\nSubject: Report domain: example.org\r\n',
      isConfidential: true,
    },
  },
  replayReportMail: {
    ...performs('POST', '/api/v1/domains/{id}/reports/mails/{mailId}/replay', replayReportMail),
    handler: 'reports/replay',
    errorImpact: 'API clients cannot have report mails read again.',
    // API Gateway waits for 30 seconds at most.
    timeoutSeconds: 29,
    memoryMegabytes: 1024,
    success: data('The mail with its new outcomes', reportMail),
  },
});
