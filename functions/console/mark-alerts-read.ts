import { markAlertsRead } from '../../shared/operations/alerts/mark-alerts-read.ts';
import { alertsPath } from '../../shared/pages/console/alert-filter.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { markAllReadDependencies } from '../../shared/runtime/dependencies/alerts.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.markAlertsRead,
  markAllReadDependencies,
  async ({ form, ...request }, deps) => {
    const { domain, severity } = form;
    const outcome = await markAlertsRead(asCaller(request), form, deps);
    return redirect(outcome, () => alertsPath({ domain, severity, unread: false }));
  },
  consolePages,
);
