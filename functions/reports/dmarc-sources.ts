import { showSources, sourcesCsv } from '../../shared/api/report-sources.ts';
import { daysOf } from '../../shared/operations/reports/days.ts';
import { SHORTER_WINDOW } from '../../shared/operations/reports/searched.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, csvReply, page } from '../../shared/runtime/http/reply.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.listDmarcSources,
  () => ({
    summaries: summaryStore(table()),
    clock,
  }),
  async (domain, { query, accepts }, { summaries, clock }) => {
    const now = clock.now();
    const days = accepted(daysOf(query, now), 'query');
    const found = await summaries.sources(domain, days, now);
    // All sources of the window are in memory, so the CSV is complete.
    if (accepts.format !== undefined) {
      const table = csvReply(sourcesCsv(showSources(days, found)), 'dmarc-sources.csv');
      return { ...table, lessBy: [SHORTER_WINDOW] };
    }
    const end = query.page * query.limit;
    const sources = found.sources.slice(end - query.limit, end);
    return page(showSources(days, { ...found, sources }), {
      page: query.page,
      limit: query.limit,
      hasMore: found.sources.length > end,
    });
  },
);
