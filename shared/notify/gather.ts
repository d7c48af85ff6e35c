/** Groups pending notifications into deliveries: everything that is due for one organization and channel is sent together. */
import { mostSevereFirst, severities } from '../alerts/notification.ts';
import type { DeliveryStore, PacingChange } from '../store/alerts/deliveries.ts';
import { LONGEST_PAUSE_SECONDS } from '../store/alerts/longest-waits.ts';
import type {
  MailPacing,
  NotificationSettingsStore,
  StoredSettings,
} from '../store/alerts/notification-settings.ts';
import type { PendingNotification, PendingNotificationStore } from '../store/alerts/pending.ts';
import { newId } from '../store/time-ids.ts';
import { isFromWrongClock } from '../store/wrong-clock.ts';
import { eachForMember } from './for-members.ts';
import { pauseAfterMail } from './pause.ts';
import {
  eachShard,
  MOST_LATE,
  type QueueDependencies,
  queueAgain,
  type Run,
  type ShardRun,
} from './shards.ts';

export interface GatherDependencies extends QueueDependencies {
  readonly pending: PendingNotificationStore;
  readonly deliveries: QueueDependencies['deliveries'] &
    Pick<DeliveryStore, 'create' | 'addFurther' | 'createOnce' | 'get' | 'finish'>;
  readonly settings: Pick<NotificationSettingsStore, 'get'>;
}

/** What is read of a shard at a time, about 5 MB. */
const MOST_PENDING = 20_000;

/** How many groups of a shard are handled concurrently. */
const AT_ONCE = 10;

/** The maximum number of alerts that a mail or a webhook request shows; a request is then at most 1 MB. */
const MOST_SHOWN = 50;

/** How many further alerts one transaction counts; a transaction can have 100 writes. */
const MOST_COUNTED = 90;

/** Alerts that are sent together. */
type Group = Pick<PendingNotification, 'organization' | 'channel' | 'to' | 'kind'> & {
  /** In the order they were raised. */
  readonly alerts: readonly PendingNotification[];
};

/**
 * Creates deliveries for all alerts and events that are due in these shards.
 * @throws AggregateError of all failures, after the rest is done.
 */
export const gather = (deps: GatherDependencies, run: Run): Promise<void> =>
  eachShard(run, (shard) => gatherShard(deps, shard));

async function gatherShard(deps: GatherDependencies, shardRun: ShardRun): Promise<void> {
  const { pending, enqueue } = deps;
  const { shard, now, attempt, hasTime } = shardRun;
  await attempt(async () => {
    // In the next run at the latest.
    await pending.postpone(await pending.tooFarAhead('alerts', shard, { now, limit: MOST_LATE }), now);
  });
  await queueAgain('alerts', deps, shardRun);
  for (let mayHaveMore = true; mayHaveMore && hasTime(); ) {
    const due = (await attempt(() => pending.due('alerts', shard, { now, limit: MOST_PENDING }))) ?? [];
    const groups = groupsOf(due.length < MOST_PENDING ? due : withoutCutGroup(due));
    for (let at = 0; at < groups.length && hasTime(); at += AT_ONCE) {
      const some = groups.slice(at, at + AT_ONCE);
      const created = await Promise.all(some.map((group) => attempt(() => notify(group, deps, now))));
      await attempt(() => enqueue(created.flatMap((ids) => ids ?? [])));
    }
    // What failed is still due, so it would only be read again.
    mayHaveMore = due.length === MOST_PENDING && !shardRun.hasFailed();
  }
}

/** Leaves an organization that may have more alerts than were read to the next time, unless there is no other. */
function withoutCutGroup(due: readonly PendingNotification[]): readonly PendingNotification[] {
  const last = due.at(-1)?.organization;
  const whole = due.slice(0, due.findLastIndex(({ organization }) => organization !== last) + 1);
  return whole.length > 0 ? whole : due;
}

function groupsOf(due: readonly PendingNotification[]): Group[] {
  const groups = Map.groupBy(due, ({ organization, channel, to, kind }) =>
    [channel, to, kind, organization].join(' '),
  );
  return [...groups.values()].flatMap((alerts) =>
    alerts.slice(0, 1).map(({ organization, channel, to, kind }) => ({
      ...{ organization, channel, to, kind },
      alerts: alerts.toSorted((a, b) => (a.alert < b.alert ? -1 : 1)),
    })),
  );
}

/** Returns the ids of the new deliveries. */
async function notify(
  group: Group,
  { settings, pending, deliveries }: GatherDependencies,
  now: Date,
): Promise<string[]> {
  const { pause, people, ...channels } = await settings.get(group.organization);
  if (group.to === 'members' && Object.keys(people).length > 0)
    return toMembers(group, people, deliveries, now);
  if (group.to === 'members' || channels[group.channel] === null) {
    await pending.remove(group.alerts);
    return [];
  }
  if (group.channel === 'webhook') return inPieces(group, deliveries, now);
  const pacing = { pause };
  const decision = mailAt(pacing, now);
  if ('after' in decision) return inOne(group, deliveries, now, { before: pacing, after: decision.after });
  await pending.postpone(group.alerts, decision.wait);
  return [];
}

/** Either the pacing to store when a mail is created now, or the time until which it has to wait. */
type MailDecision = { readonly after: MailPacing } | { readonly wait: Date };

function mailAt({ pause }: MailPacing, now: Date): MailDecision {
  const isWrong = pause !== null && isFromWrongClock(pause.until, now, LONGEST_PAUSE_SECONDS * 1000);
  const before = isWrong ? null : pause;
  if (before !== null && now < new Date(before.until)) return { wait: new Date(before.until) };
  return { after: { pause: pauseAfterMail(before, now) } };
}

/** Shows every alert in full, in as many deliveries as necessary. */
async function inPieces(
  group: Group,
  deliveries: GatherDependencies['deliveries'],
  now: Date,
): Promise<string[]> {
  const created: string[] = [];
  for (let at = 0; at < group.alerts.length; at += MOST_SHOWN) {
    const delivery = newDelivery(group, now);
    const isCreated = await deliveries.create(delivery, group.alerts.slice(at, at + MOST_SHOWN));
    if (isCreated) created.push(delivery.id);
  }
  return created;
}

/**
 * One delivery for all members takes the alerts, and becomes one for each. After an interruption in between, the worker that gets
 * the first one goes on.
 */
async function toMembers(
  group: Group,
  people: StoredSettings['people'],
  deliveries: GatherDependencies['deliveries'],
  now: Date,
): Promise<string[]> {
  const created: string[] = [];
  for (const id of await inOne(group, deliveries, now)) {
    const delivery = await deliveries.get(id);
    if (delivery === undefined) continue;
    created.push(...(await eachForMember(delivery, people, deliveries)));
    await deliveries.finish({ delivery }, { outcome: 'delivered' }, now);
  }
  return created;
}

/** One delivery that shows the most severe alerts and counts the others. */
async function inOne(
  group: Group,
  deliveries: GatherDependencies['deliveries'],
  now: Date,
  pacing?: PacingChange,
): Promise<string[]> {
  const bySeverity = group.alerts.toSorted(mostSevereFirst);
  const delivery = newDelivery(group, now);
  if (!(await deliveries.create(delivery, bySeverity.slice(0, MOST_SHOWN), pacing))) return [];
  for (let at = MOST_SHOWN; at < bySeverity.length; at += MOST_COUNTED) {
    await deliveries.addFurther(delivery, bySeverity.slice(at, at + MOST_COUNTED));
  }
  return [delivery.id];
}

function newDelivery({ organization, channel, to, kind, alerts }: Group, now: Date) {
  const highest = severities.findLast((one) => alerts.some(({ severity }) => severity === one));
  return {
    id: newId(now),
    ...{ organization, channel, kind },
    ...(to === 'members' && { members: highest }),
    createdAt: now.toISOString(),
  };
}
