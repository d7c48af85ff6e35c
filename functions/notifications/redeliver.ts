import { v7 as uuidv7 } from 'uuid';
import { missing } from '../../shared/api/common.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { routes } from './routes.ts';
import { countOnRequest } from './rules.ts';

export const handler = endpoint(
  routes.redeliver,
  () => ({ deliveries: deliveryStore(table()), rates: rateStore(table()), clock }),
  async ({ organization, path }, { deliveries, rates, clock }) => {
    const now = clock.now();
    const before = await deliveries.outcomeOf(organization, path.id);
    if (before === undefined) throw new ServiceError('not_found', missing.delivery);
    await countOnRequest(rates, organization, now);
    const created = { id: uuidv7({ msecs: now.getTime() }), createdAt: now.toISOString() };
    await deliveries.createAgain(before, created);
    return reply({ ...created, channel: before.channel, kind: before.kind });
  },
);
