import { windowOf } from '../../shared/api/report-queries.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { pageTokens } from '../../shared/runtime/http/page-tokens.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { auditStore } from '../../shared/store/audit.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listAudit,
  () => ({ audit: auditStore(table()), tokens: pageTokens(table()), clock }),
  async (request, { audit, tokens, clock }) => {
    const { organization, query } = request;
    const { startDate = query.since, endDate = query.until } = query;
    const place = await tokens.placeOf(routes.listAudit, request);
    const found = await audit.list(organization, windowOf({ startDate, endDate }), place, clock.now());
    return page([...found.entries], await tokens.paginationOf(place, found));
  },
);
