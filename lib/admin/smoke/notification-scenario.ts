/** Reads notification settings and deliveries, and changes nothing. */
import * as z from 'zod/mini';
import { delivery } from '../../../shared/api/deliveries.ts';
import { notifications } from '../../../shared/api/notification-settings.ts';
import type { Client } from './client.ts';
import { data, errorBody, oneStep, type Scenario } from './scenario.ts';

const settings = '/api/v1/notifications';
const deliveries = '/api/v1/deliveries';

export function notificationScenario(api: Client): readonly Scenario[] {
  return [
    oneStep('notification settings can be read', () => api.read(data(notifications), 'GET', settings, 200)),
    oneStep('notification settings without a mail address are rejected', async () => {
      const json = { mail: {}, webhook: null };
      await api.read(errorBody('invalid_request'), 'PUT', settings, 400, { json });
    }),
    oneStep('a test of an unknown channel is rejected', async () => {
      const json = { channel: 'none' };
      await api.read(errorBody('invalid_request'), 'POST', `${settings}/test`, 400, { json });
    }),
    oneStep('deliveries can be listed', () => api.read(data(z.array(delivery)), 'GET', deliveries, 200)),
    oneStep('a delivery that does not exist cannot be repeated', async () => {
      const path = `${deliveries}/${crypto.randomUUID()}/redeliver`;
      await api.read(errorBody('not_found'), 'POST', path, 404);
    }),
  ];
}
