import { redeliver } from '../../shared/operations/notifications/redeliver.ts';
import { DELIVERIES_PATH } from '../../shared/pages/console/alert-filter.ts';
import { redeliveryDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.redeliverInConsole,
  redeliveryDependencies,
  async (request, deps) =>
    redirect(await redeliver(request.caller, request.form, deps), () => DELIVERIES_PATH),
);
