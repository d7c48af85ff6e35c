import { consolePages } from '../../shared/pages/console/layout.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { showAlerts } from './alert-rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.showAlerts,
  () => ({
    domains: domainStore(table()),
    alerts: alertStore(table(), { retentionDays: config().RETENTION_DAYS }),
    deliveries: deliveryStore(table()),
    clock,
  }),
  async (request, deps) => reply(await showAlerts(request, deps)),
  consolePages,
);
