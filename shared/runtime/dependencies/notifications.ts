/** What operations on notifications need. */
import type { ChangeDependencies } from '../../operations/notifications/change-notifications.ts';
import type { RedeliveryDependencies } from '../../operations/notifications/redeliver.ts';
import type { TestDependencies } from '../../operations/notifications/test-notifications.ts';
import type { UnsubscribeDependencies } from '../../operations/notifications/unsubscribe.ts';
import { channelStore } from '../../store/alerts/channels.ts';
import { deliveryStore } from '../../store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { rateStore } from '../../store/rates/rates.ts';
import { config, ownDomains } from '../config/config.ts';
import { cipher } from './cipher.ts';
import { clock, table } from './services.ts';

export function changeDependencies(): ChangeDependencies {
  const { PRIVATE_ADDRESSES } = config();
  return {
    notifications: channelStore(table(), cipher),
    ownDomains: ownDomains(config()),
    allowPrivateAddresses: PRIVATE_ADDRESSES === 'allow',
  };
}

export const testDependencies = (): TestDependencies => ({
  notifications: notificationSettingsStore(table()),
  deliveries: deliveryStore(table()),
  rates: rateStore(table()),
  clock,
});

export const redeliveryDependencies = (): RedeliveryDependencies => ({
  deliveries: deliveryStore(table()),
  rates: rateStore(table()),
  clock,
});

export const unsubscribeDependencies = (): UnsubscribeDependencies => ({
  notifications: notificationSettingsStore(table()),
});
