import { showDelivery } from '../../shared/api/deliveries.ts';
import { alertsPage } from '../../shared/pages/console/alerts.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { fitting } from '../../shared/pages/spf/extent.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { covers } from '../../shared/store/api-tokens.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';

const ALERTS_PER_PAGE = 20;
const DELIVERIES = { page: 1, limit: 10 };

/** In bytes. */
const MAX_PAGE = 95_000;

export const handler = endpoint(
  routes.showAlerts,
  () => ({
    domains: domainStore(table()),
    alerts: alertStore(table(), { retentionDays: config().RETENTION_DAYS }),
    deliveries: deliveryStore(table()),
    clock,
  }),
  async ({ organization, token, formToken, query }, { domains, alerts, deliveries, clock }) => {
    const { page, ...filter } = query;
    const { domain, severity, unread } = filter;
    if (domain !== undefined) await requireDomain(domains, organization, domain);
    const now = clock.now();
    const wanted = { domainId: domain, severity, unreadOnly: unread };
    const [found, sent] = await Promise.all([
      alerts.list(organization, wanted, { page, limit: ALERTS_PER_PAGE }, now),
      deliveries.list(organization, DELIVERIES, now),
    ]);
    const view = {
      ...{ ...found, filter, page, formToken },
      deliveries: sent.deliveries.map(showDelivery),
      canWrite: covers(token.scope, 'write'),
    };
    return reply(fitting((most) => alertsPage(view, most), MAX_PAGE));
  },
  consolePages,
);
