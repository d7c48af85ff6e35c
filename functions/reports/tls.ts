import { isFiltered, windowOf } from '../../shared/api/report-queries.ts';
import { showTlsReport, showTlsSummary } from '../../shared/api/reports.ts';
import { searched } from '../../shared/operations/reports/searched.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { lessThan, limitRows } from '../../shared/runtime/http/limit-rows.ts';
import { pageTokens } from '../../shared/runtime/http/page-tokens.ts';
import { accepted, page } from '../../shared/runtime/http/reply.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.listTlsReports,
  () => ({
    reports: tlsReportStore(table(), retention()),
    tokens: pageTokens(table()),
    clock,
  }),
  async ({ id }, request, { reports, tokens, clock }) => {
    const { query, accepts } = request;
    const place = await tokens.placeOf(routes.listTlsReports, request);
    const wanted = { ...query, ...place, window: windowOf(query) };
    const found = isFiltered(query)
      ? accepted(searched(await reports.search(id, wanted, clock.now())))
      : await reports.list(id, wanted, clock.now());
    if (query.includePolicies) limitRows(found.reports, accepts, routes.listTlsReports);
    const shown = await Promise.all(
      found.reports.map(async (one) =>
        showTlsReport(one.report, query.includePolicies ? await reports.policiesOf(id, one) : undefined),
      ),
    );
    const answer = page(
      { reports: shown, summary: showTlsSummary(found.summary) },
      await tokens.paginationOf(place, found),
    );
    return { ...answer, lessBy: lessThan(found.reports) };
  },
);
