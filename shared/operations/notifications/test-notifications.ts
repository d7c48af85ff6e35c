import { channels } from '../../alerts/notification.ts';
import { testBody } from '../../api/notification-settings.ts';
import type { Clock } from '../../network/ports.ts';
import type { DeliveryStore } from '../../store/alerts/deliveries.ts';
import type { Delivery } from '../../store/alerts/delivery.ts';
import type { NotificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import { newId } from '../../store/time-ids.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid } from '../outcome.ts';
import { countOnRequest } from './count-on-request.ts';

export const operation = {
  name: 'testNotifications',
  summary: 'Send a test notification on every channel, or on one',
  scope: 'write',
  input: testBody,
  refusals: ['invalid_request', 'rate_limited'],
  uses: ['organizations:read', 'deliveries:write', 'delivery-lists:write'],
} as const satisfies Operation;

export interface TestDependencies {
  readonly notifications: Pick<NotificationSettingsStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'createTest'>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly clock: Clock;
}

/** Sends a test on one channel, or on all that are set; returns the deliveries. */
export async function testNotifications(
  { organization }: CallerOf<typeof operation>,
  { channel }: InputOf<typeof operation>,
  { notifications, deliveries, rates, clock }: TestDependencies,
): Promise<OutcomeOf<typeof operation, readonly Pick<Delivery, 'id' | 'createdAt' | 'channel' | 'kind'>[]>> {
  const now = clock.now();
  const settings = await notifications.get(organization);
  const wanted = channel === undefined ? channels : [channel];
  const found = wanted.filter((one) => settings[one] !== null);
  if (found.length === 0)
    return invalid({ path: 'channel', message: 'is off: turn it on in the notification settings first' });
  const refused = await countOnRequest(rates, organization, now, found.length);
  if (refused !== undefined) return refused;
  const createdAt = now.toISOString();
  const created = found.map((one) => ({ id: newId(now), createdAt, channel: one }));
  await Promise.all(created.map((one) => deliveries.createTest({ ...one, organization })));
  return {
    value: created.map((one) => ({ ...one, kind: 'test' })),
    subjects: created.map(({ id, channel }) => ({ id, name: channel })),
  };
}
