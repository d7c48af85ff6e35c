import { missing } from '../../shared/api/common.ts';
import { showDelivery } from '../../shared/api/deliveries.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { existing } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getDelivery,
  () => ({ deliveries: deliveryStore(table()) }),
  async ({ organization, path: { id } }, { deliveries }) => {
    const delivery = existing(await deliveries.outcomeOf(organization, id), missing.delivery);
    return reply(showDelivery(delivery));
  },
);
