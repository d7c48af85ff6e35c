import { markAlertsRead } from '../../shared/operations/alerts/mark-alerts-read.ts';
import { alertsPath } from '../../shared/pages/console/alert-filter.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.markAlertsRead,
  () => ({
    domains: domainStore(table()),
    alerts: alertStore(table(), retention()),
    clock,
  }),
  async ({ caller, form }, deps) => {
    const { domain, severity } = form;
    const outcome = await markAlertsRead(caller, form, deps);
    return redirect(outcome, () => alertsPath({ domain, severity, unread: false }));
  },
);
