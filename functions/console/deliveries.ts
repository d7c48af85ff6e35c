import { deliveriesPage } from '../../shared/pages/console/deliveries.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { deliveryList } from '../../shared/views/delivery-list.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showDeliveries,
  () => ({ deliveries: deliveryStore(table()), clock }),
  async ({ organization, canWrite, formToken, flash, query: { page } }, deps) => {
    const list = await deliveryList(organization, page, deps);
    return reply(deliveriesPage({ ...list, canWrite, formToken, flash }));
  },
);
