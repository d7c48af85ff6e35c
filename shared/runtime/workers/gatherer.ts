/** The handler of the schedules that gather notifications, one for each kind. */
import type { GatherDependencies } from '../../notify/gather.ts';
import type { GatherDigestsDependencies } from '../../notify/gather-digests.ts';
import type { Run } from '../../notify/shards.ts';
import { deliveryStore } from '../../store/alerts/deliveries.ts';
import { digestPlanStore } from '../../store/alerts/digest-plans.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { pendingNotificationStore } from '../../store/alerts/pending.ts';
import { notificationShards } from '../../store/keys.ts';
import { clock, table } from '../dependencies/services.ts';
import { queue } from './queue.ts';
import type { QueueName, Trigger } from './trigger.ts';
import { schedule } from './worker.ts';

/** The maximum of SendMessageBatch. */
const BATCH = 10;

/** The handler of a schedule that makes deliveries of everything of a kind that is due. Each part has its own shards. */
export function dispatchDeliveries(
  trigger: Trigger,
  {
    sendsTo,
    gather,
  }: {
    sendsTo: QueueName;
    gather: (deps: GatherDependencies & GatherDigestsDependencies, run: Run) => Promise<void>;
  },
) {
  return schedule(
    trigger,
    () => ({
      pending: pendingNotificationStore(table()),
      deliveries: deliveryStore(table()),
      settings: notificationSettingsStore(table()),
      plans: digestPlanStore(table()),
      queue: queue(sendsTo),
      clock,
    }),
    async ({ queue, clock, ...stores }, { part, parts, remainingMilliseconds }) => {
      const enqueue = async (deliveries: readonly string[]) => {
        for (let at = 0; at < deliveries.length; at += BATCH) {
          await queue.sendBatch(deliveries.slice(at, at + BATCH).map((delivery) => ({ delivery })));
        }
      };
      const shards = notificationShards.filter((shard) => shard % parts === part);
      await gather({ ...stores, enqueue }, { shards, now: clock.now(), remainingMilliseconds });
    },
  );
}
