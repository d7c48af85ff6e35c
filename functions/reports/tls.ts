import { isFiltered, windowOf } from '../../shared/api/report-queries.ts';
import { showTlsReport, showTlsSummary } from '../../shared/api/reports.ts';
import { searched } from '../../shared/operations/reports/searched.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { lessThan, limitRows } from '../../shared/runtime/http/limit-rows.ts';
import { pageTokens } from '../../shared/runtime/http/page-tokens.ts';
import { accepted, page } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listTlsReports,
  () => ({
    domains: domainStore(table()),
    reports: tlsReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    tokens: pageTokens(table()),
    clock,
  }),
  async (request, { domains, reports, tokens, clock }) => {
    const { organization, path, query, accepts } = request;
    await requireDomain(domains, organization, path.id);
    const place = await tokens.placeOf(routes.listTlsReports, request);
    const wanted = { ...query, ...place, window: windowOf(query) };
    const found = isFiltered(query)
      ? accepted(searched(await reports.search(path.id, wanted, clock.now())))
      : await reports.list(path.id, wanted, clock.now());
    if (query.includePolicies) limitRows(found.reports, accepts, routes.listTlsReports);
    const shown = await Promise.all(
      found.reports.map(async (one) =>
        showTlsReport(one.report, query.includePolicies ? await reports.policiesOf(path.id, one) : undefined),
      ),
    );
    const answer = page(
      { reports: shown, summary: showTlsSummary(found.summary) },
      await tokens.paginationOf(place, found),
    );
    return { ...answer, lessBy: lessThan(found.reports) };
  },
);
