import { isFiltered, windowOf } from '../../shared/api/report-queries.ts';
import { dmarcRecordsCsv, showDmarcReport, showDmarcSummary } from '../../shared/api/reports.ts';
import { searched } from '../../shared/operations/reports/searched.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { lessThan, limitRows } from '../../shared/runtime/http/limit-rows.ts';
import { pageTokens } from '../../shared/runtime/http/page-tokens.ts';
import { accepted, csvReply, page } from '../../shared/runtime/http/reply.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.listDmarcReports,
  () => ({
    reports: dmarcReportStore(table(), retention()),
    summaries: summaryStore(table()),
    tokens: pageTokens(table()),
    clock,
  }),
  async ({ id }, request, { reports, summaries, tokens, clock }) => {
    const { query, accepts } = request;
    const place = await tokens.placeOf(routes.listDmarcReports, request);
    const wanted = { ...query, ...place, window: windowOf(query) };
    const found = isFiltered(query)
      ? accepted(searched(await reports.search(id, wanted, clock.now(), summaries.daysWithSource)))
      : await reports.list(id, wanted, clock.now());
    const withRows = query.includeRecords || accepts.format !== undefined;
    if (withRows) limitRows(found.reports, accepts, routes.listDmarcReports);
    const shown = await Promise.all(
      found.reports.map(async (one) => ({
        report: one.report,
        rows: withRows ? await reports.rowsOf(id, one) : [],
      })),
    );
    const lessBy = lessThan(found.reports);
    const pagination = await tokens.paginationOf(place, found);
    if (accepts.format !== undefined)
      return { ...csvReply(dmarcRecordsCsv(shown), 'dmarc-records.csv'), pagination, lessBy };
    const answer = page(
      {
        reports: shown.map(({ report, rows }) => showDmarcReport(report, withRows ? rows : undefined)),
        summary: showDmarcSummary(found.summary),
      },
      pagination,
    );
    return { ...answer, lessBy };
  },
);
