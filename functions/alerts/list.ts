import { validate as isUuid } from 'uuid';
import { missing } from '../../shared/api/common.ts';
import { betweenTimes } from '../../shared/api/report-queries.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { pageTokens } from '../../shared/runtime/http/page-tokens.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listAlerts,
  () => ({
    domains: domainStore(table()),
    alerts: alertStore(table(), retention()),
    tokens: pageTokens(table()),
    clock,
  }),
  async (request, { domains, alerts, tokens, clock }) => {
    const { organization, query } = request;
    const { domainId, page: number, limit } = query;
    if (domainId !== undefined) {
      // A malformed id is treated like an unknown one.
      if (!isUuid(domainId)) throw new ServiceError('not_found', missing.domain);
      await requireDomain(domains, organization, domainId);
    }
    const filter = { ...query, ...betweenTimes(query) };
    if (query.groupBy === 'cause') {
      const { groups, hasMore } = await alerts.listCauses(organization, filter, query, clock.now());
      const shown = groups.map(({ newest, ...cause }) => ({ ...newest, cause }));
      return page(shown, { page: number, limit, hasMore });
    }
    const place = await tokens.placeOf(routes.listAlerts, request);
    const found = await alerts.list(organization, filter, place, clock.now());
    return page(found.alerts, await tokens.paginationOf(place, found));
  },
);
