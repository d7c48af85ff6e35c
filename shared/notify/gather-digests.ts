/** Creates the digests that are due, one for each organization, whether something happened or not. */
import { nextDigest } from '../alerts/digest-schedule.ts';
import { digestScheduleOf } from '../alerts/notification.ts';
import { DAY_MILLISECONDS } from '../protocol/time.ts';
import type { DeliveryStore } from '../store/alerts/deliveries.ts';
import type { Delivery } from '../store/alerts/delivery.ts';
import type { DigestPlan, DigestPlanStore } from '../store/alerts/digest-plans.ts';
import type { NotificationSettingsStore } from '../store/alerts/notification-settings.ts';
import { newId } from '../store/time-ids.ts';
import { isFromWrongClock } from '../store/wrong-clock.ts';
import {
  eachShard,
  MOST_LATE,
  type QueueDependencies,
  queueAgain,
  type Run,
  type ShardRun,
} from './shards.ts';

export interface GatherDigestsDependencies extends QueueDependencies {
  readonly plans: DigestPlanStore;
  readonly deliveries: QueueDependencies['deliveries'] & Pick<DeliveryStore, 'createDigest'>;
  readonly settings: Pick<NotificationSettingsStore, 'get'>;
}

/** What is read of a shard at a time. */
const MOST_PLANS = 5_000;

/** How many organizations of a shard are handled concurrently. */
const AT_ONCE = 10;

/** What the first digest is about before its time, and the most that one after a long time is about. */
const FIRST_DAYS = { daily: 1, weekly: 7 } as const;
const LONGEST_DAYS = 31;

/**
 * How long an alert can take from its time until it is stored: longer than any handler runs. The period of a digest ends
 * this long before it, so that no alert is between two digests.
 */
const STORING_MILLISECONDS = 300_000;

/**
 * Creates the digests that are due in these shards.
 * @throws AggregateError of all failures, after the rest is done.
 */
export const gatherDigests = (deps: GatherDigestsDependencies, run: Run): Promise<void> =>
  eachShard(run, (shard) => gatherShard(deps, shard));

async function gatherShard(deps: GatherDigestsDependencies, shardRun: ShardRun): Promise<void> {
  const { plans, enqueue } = deps;
  const { shard, now, attempt, hasTime } = shardRun;
  await queueAgain('digest', deps, shardRun);
  await attempt(async () => {
    const ahead = await plans.tooFarAhead(shard, { now, limit: MOST_LATE });
    await Promise.all(ahead.map((plan) => handle(plan, deps, now)));
  });
  for (let mayHaveMore = true; mayHaveMore && hasTime(); ) {
    const due = (await attempt(() => plans.due(shard, { now, limit: MOST_PLANS }))) ?? [];
    for (let at = 0; at < due.length && hasTime(); at += AT_ONCE) {
      const some = due.slice(at, at + AT_ONCE);
      const created = await Promise.all(some.map((plan) => attempt(() => handle(plan, deps, now))));
      await attempt(() => enqueue(created.flatMap((ids) => ids ?? [])));
    }
    // What failed is still due, so it would only be read again.
    mayHaveMore = due.length === MOST_PLANS && !shardRun.hasFailed();
  }
}

/** Returns the id of the new delivery, if the digest is due. */
async function handle(
  plan: DigestPlan,
  { plans, deliveries, settings }: GatherDigestsDependencies,
  now: Date,
): Promise<string[]> {
  const { mail, lastDigestAt } = await settings.get(plan.organization);
  const schedule = digestScheduleOf(mail);
  if (schedule === null) {
    await plans.remove(plan);
    return [];
  }
  const next = nextDigest(schedule, now);
  if (plan.isOpen || plan.at > now.toISOString()) {
    await plans.set(plan, next);
    return [];
  }
  const id = newId(now);
  const days = schedule.weekday === null ? FIRST_DAYS.daily : FIRST_DAYS.weekly;
  const first = new Date(Date.parse(plan.at) - days * DAY_MILLISECONDS).toISOString();
  const period = periodOf(lastDigestAt ?? first, first, now);
  return (await deliveries.createDigest(plan, { id, createdAt: now.toISOString(), period }, next))
    ? [id]
    : [];
}

function periodOf(last: string, first: string, now: Date): NonNullable<Delivery['period']> {
  const since = Date.parse(isFromWrongClock(last, now) ? first : last);
  const earliest = now.getTime() - LONGEST_DAYS * DAY_MILLISECONDS;
  const settled = (time: number) => new Date(time - STORING_MILLISECONDS).toISOString();
  return { since: settled(Math.max(since, earliest)), until: settled(now.getTime()) };
}
