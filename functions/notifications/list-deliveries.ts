import { showDelivery } from '../../shared/api/deliveries.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listDeliveries,
  () => ({ deliveries: deliveryStore(table()), clock }),
  async ({ organization, query }, { deliveries, clock }) => {
    const { page: number, limit } = query;
    const found = await deliveries.list(organization, query, clock.now());
    return page(found.deliveries.map(showDelivery), { page: number, limit, hasMore: found.hasMore });
  },
);
