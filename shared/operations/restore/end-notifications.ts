/**
 * Notifications and digests that were sent after the point to which a table was restored are not sent again. They are found by
 * shard, for all organizations together.
 */
import { deliveryStore } from '../../store/alerts/deliveries.ts';
import { digestPlanStore } from '../../store/alerts/digest-plans.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { type PendingNotification, pendingNotificationStore } from '../../store/alerts/pending.ts';
import { notificationShards } from '../../store/keys.ts';
import type { AuditDependencies } from '../audit.ts';
import type { Restored } from './restored.ts';

/** Returns how many notifications and deliveries were dropped. */
export async function endNotifications(
  restored: Restored,
  deps: Pick<AuditDependencies, 'clock'>,
): Promise<number> {
  let dropped = 0;
  for (const shard of notificationShards)
    for (const kind of ['alerts', 'digest'] as const) {
      dropped += await dropPending(kind, shard, restored);
      dropped += await endDeliveries(kind, shard, restored, deps);
    }
  for (const shard of notificationShards) await advanceDigests(shard, restored);
  return dropped;
}

/** More than there are, and a number that DynamoDB accepts. */
const ALL = 1_000_000_000;

/** Later than everything that waits. */
const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z');
const everything = { now: END_OF_TIME, limit: ALL };

type Kind = 'alerts' | 'digest';

async function dropPending(kind: Kind, shard: number, { table, at, old }: Restored): Promise<number> {
  const waiting = old === undefined ? [] : await pendingNotificationStore(old).due(kind, shard, everything);
  const still = new Set(waiting.map(nameOf));
  const store = pendingNotificationStore(table);
  const sent = (await store.due(kind, shard, everything)).filter(
    (one) => isBefore(one.alert, at) && !still.has(nameOf(one)),
  );
  await store.remove(sent);
  return sent.length;
}

const nameOf = ({ organization, domainId, channel, to, alert }: PendingNotification): string =>
  JSON.stringify([organization, domainId, channel, to, alert]);

async function endDeliveries(
  kind: Kind,
  shard: number,
  { table, at, old }: Restored,
  { clock }: Pick<AuditDependencies, 'clock'>,
): Promise<number> {
  const waiting = old === undefined ? [] : await deliveryStore(old).due(kind, shard, everything);
  const still = new Set(waiting.map(({ id }) => id));
  const store = deliveryStore(table);
  let ended = 0;
  for (const { id, dueAt } of await store.due(kind, shard, everything)) {
    if (!isBefore(id, at) || still.has(id)) continue;
    // No lease of a worker is longer than the delivery waits.
    const now = new Date(Math.max(Date.parse(dueAt), clock.now().getTime()));
    const claimed = await store.claim(id, { now, leaseSeconds: 1, sentAt: now });
    if (claimed.status !== 'claimed') continue;
    const reason = 'it was sent before the table was restored';
    await store.finish(claimed.lease, { outcome: 'dropped', reason }, clock.now());
    ended += 1;
  }
  return ended;
}

/** A digest that was sent since is not sent again, and neither is what it was about. */
async function advanceDigests(shard: number, { table, old }: Restored): Promise<void> {
  if (old === undefined) return;
  const sent = new Map(
    (await digestPlanStore(old).due(shard, everything)).map((plan) => [plan.organization, plan]),
  );
  for (const plan of await digestPlanStore(table).due(shard, everything)) {
    const before = sent.get(plan.organization);
    if (before === undefined || before.isOpen || plan.isOpen || before.at <= plan.at) continue;
    const { lastDigestAt } = await notificationSettingsStore(old).get(plan.organization);
    await digestPlanStore(table).set(plan, new Date(before.at), lastDigestAt ?? plan.at);
  }
}

/** Whether an ID (UUIDv7, RFC 9562 section 5.7) was made until `at`. */
const isBefore = (id: string, at: Date): boolean =>
  Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) <= at.getTime();
