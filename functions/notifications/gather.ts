import { gather } from '../../shared/notify/gather.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { schedule } from '../../shared/runtime/workers/worker.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { pendingNotificationStore } from '../../shared/store/alerts/pending.ts';
import { triggers } from '../triggers.ts';

/** The maximum of SendMessageBatch. */
const BATCH = 10;

export const handler = schedule(
  triggers.gatherNotifications,
  () => ({
    pending: pendingNotificationStore(table()),
    deliveries: deliveryStore(table()),
    settings: notificationSettingsStore(table()),
    queue: queue('notifications'),
    clock,
  }),
  async ({ queue, clock, ...stores }, { remainingMilliseconds }) => {
    const enqueue = async (deliveries: readonly string[]) => {
      for (let at = 0; at < deliveries.length; at += BATCH) {
        await queue.sendBatch(deliveries.slice(at, at + BATCH).map((delivery) => ({ delivery })));
      }
    };
    await gather({ ...stores, enqueue }, clock.now(), remainingMilliseconds);
  },
);
