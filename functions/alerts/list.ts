import { validate as isUuid } from 'uuid';
import { missing } from '../../shared/api/common.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listAlerts,
  () => ({
    domains: domainStore(table()),
    alerts: alertStore(table(), { retentionDays: config().RETENTION_DAYS }),
    clock,
  }),
  async ({ organization, query }, { domains, alerts, clock }) => {
    const { domainId, page: number, limit } = query;
    if (domainId !== undefined) {
      // A malformed id is treated like an unknown one.
      if (!isUuid(domainId)) throw new ServiceError('not_found', missing.domain);
      await requireDomain(domains, organization, domainId);
    }
    if (query.groupBy === 'cause') {
      const { groups, hasMore } = await alerts.listCauses(organization, query, query, clock.now());
      const shown = groups.map(({ newest, ...cause }) => ({ ...newest, cause }));
      return page(shown, { page: number, limit, hasMore });
    }
    const found = await alerts.list(organization, query, query, clock.now());
    return page(found.alerts, { page: number, limit, hasMore: found.hasMore });
  },
);
