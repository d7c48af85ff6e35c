import { DELIVERIES_PATH } from '../../shared/pages/console/alert-filter.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { redeliver, redeliveryDependencies } from '../notifications/rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.redeliverInConsole,
  redeliveryDependencies,
  async ({ organization, form }, deps) => {
    await redeliver(organization, form.id, deps);
    return { ...reply('', { location: DELIVERIES_PATH }), subjects: [{ id: form.id }] };
  },
  consolePages,
);
