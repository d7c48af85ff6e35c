import { v7 as uuidv7 } from 'uuid';
import { channels } from '../../shared/alerts/notification.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { invalidRequest } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { routes } from './routes.ts';
import { countOnRequest } from './rules.ts';

export const handler = endpoint(
  routes.testNotifications,
  () => ({
    notifications: notificationSettingsStore(table()),
    deliveries: deliveryStore(table()),
    rates: rateStore(table()),
    clock,
  }),
  async ({ organization, body }, { notifications, deliveries, rates, clock }) => {
    const now = clock.now();
    const settings = await notifications.get(organization);
    const wanted = body.channel === undefined ? channels : [body.channel];
    const found = wanted.filter((channel) => settings[channel] !== null);
    if (found.length === 0)
      throw invalidRequest({ path: 'body.channel', message: 'is off: set it with PUT /notifications first' });
    await countOnRequest(rates, organization, now, found.length);
    const createdAt = now.toISOString();
    const created = found.map((channel) => ({ id: uuidv7({ msecs: now.getTime() }), createdAt, channel }));
    await Promise.all(created.map((one) => deliveries.createTest({ ...one, organization })));
    return {
      ...reply(created.map((one) => ({ ...one, kind: 'test' as const }))),
      subjects: created.map(({ id, channel }) => ({ id, name: channel })),
    };
  },
);
