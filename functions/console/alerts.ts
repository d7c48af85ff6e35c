import { alertsPage } from '../../shared/pages/console/alerts.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, reply } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { alertList } from '../../shared/views/alert-list.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showAlerts,
  () => ({
    domains: domainStore(table()),
    alerts: alertStore(table(), retention()),
    clock,
  }),
  async ({ organization, canWrite, formToken, flash, query }, deps) => {
    const list = accepted(await alertList(organization, query, deps));
    return reply(alertsPage({ ...list, canWrite, formToken, flash }));
  },
);
