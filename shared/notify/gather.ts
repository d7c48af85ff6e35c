/** Groups pending notifications into deliveries: everything that is due for one organization and channel is sent together. */
import { v7 as uuidv7 } from 'uuid';
import { type MailSettings, type NotificationKind, nextDigest, severities } from '../alerts/notification.ts';
import type { DeliveryStore, PacingChange } from '../store/alerts/deliveries.ts';
import { LONGEST_PAUSE_SECONDS } from '../store/alerts/longest-waits.ts';
import type { MailPacing, NotificationSettingsStore } from '../store/alerts/notification-settings.ts';
import type { PendingNotification, PendingNotificationStore } from '../store/alerts/pending.ts';
import { isFromWrongClock } from '../store/wrong-clock.ts';
import { pauseAfterMail } from './pause.ts';

export interface GatherDependencies {
  readonly kind: NotificationKind;
  readonly pending: PendingNotificationStore;
  readonly deliveries: Pick<DeliveryStore, 'create' | 'addFurther' | 'due' | 'tooFarAhead' | 'markQueued'>;
  readonly settings: Pick<NotificationSettingsStore, 'get'>;
  /** Queues deliveries by id. One that is not queued is due again in a later run. */
  readonly enqueue: (deliveries: readonly string[]) => Promise<void>;
}

/** What is read of a shard at a time, about 5 MB. The digest of an organization takes up to this many alerts. */
const MOST_PENDING = 20_000;

/** What one run queues again of a shard. */
const MOST_DUE = 1_000;

/** How many groups of a shard are handled concurrently. */
const AT_ONCE = 10;

/** The maximum number of alerts that a mail or a webhook request shows; a request is then at most 1 MB. */
const MOST_SHOWN = 50;

/** How many further alerts one transaction counts; a transaction can have 100 writes. */
const MOST_COUNTED = 90;

/** The time that a group may take, with a margin; no group starts when less time remains. */
const GROUP_MILLISECONDS = 10_000;

/** Alerts that are sent together. */
type Group = Pick<PendingNotification, 'organization' | 'channel' | 'kind'> & {
  /** In the order they were raised. */
  readonly alerts: readonly PendingNotification[];
};

interface Run {
  readonly shards: readonly number[];
  readonly now: Date;
  readonly remainingMilliseconds: () => number;
}

/**
 * Creates deliveries for everything that is due in these shards, all shards at the same time.
 * @throws AggregateError of all failures, after the rest is done.
 */
export async function gather(deps: GatherDependencies, { shards, ...run }: Run): Promise<void> {
  const failures = await Promise.all(shards.map((shard) => gatherShard(deps, shard, run)));
  const all = failures.flat();
  if (all.length > 0) throw new AggregateError(all, 'some alerts could not be queued for delivery');
}

/** Returns what failed. */
async function gatherShard(
  deps: GatherDependencies,
  shard: number,
  { now, remainingMilliseconds }: Omit<Run, 'shards'>,
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      failures.push(error);
      return undefined;
    }
  };
  const { kind, pending, enqueue } = deps;
  const hasTime = () => remainingMilliseconds() >= GROUP_MILLISECONDS;
  await attempt(() => bringForward(deps, shard, now));
  await attempt(() => queueDue(deps, shard, now));
  for (let mayHaveMore = true; mayHaveMore && hasTime(); ) {
    const due = (await attempt(() => pending.due(kind, shard, { now, limit: MOST_PENDING }))) ?? [];
    const groups = groupsOf(due.length < MOST_PENDING ? due : withoutCutGroup(due));
    for (let at = 0; at < groups.length && hasTime(); at += AT_ONCE) {
      const some = groups.slice(at, at + AT_ONCE);
      const created = await Promise.all(some.map((group) => attempt(() => notify(group, deps, now))));
      await attempt(() => enqueue(created.flatMap((ids) => ids ?? [])));
    }
    // What failed is still due, so it would only be read again.
    mayHaveMore = due.length === MOST_PENDING && failures.length === 0;
  }
  return failures;
}

/** Makes due what a wrong clock planned too far ahead: deliveries are queued at once, and alerts in the next run at the latest. */
async function bringForward(
  { kind, pending, deliveries, enqueue }: GatherDependencies,
  shard: number,
  now: Date,
): Promise<void> {
  const wanted = { now, limit: MOST_DUE };
  const [alerts, late] = await Promise.all([
    pending.tooFarAhead(kind, shard, wanted),
    deliveries.tooFarAhead(kind, shard, wanted),
  ]);
  await pending.postpone(alerts, now);
  await enqueue(late.map(({ id }) => id));
  await deliveries.markQueued(late, now);
}

/** Queues before recording it: an interruption in between queues a delivery twice, but never drops it. */
async function queueDue(
  { kind, deliveries, enqueue }: GatherDependencies,
  shard: number,
  now: Date,
): Promise<void> {
  const due = await deliveries.due(kind, shard, { now, limit: MOST_DUE });
  await enqueue(due.map(({ id }) => id));
  await deliveries.markQueued(due, now);
}

/** Leaves an organization that may have more alerts than were read to the next time, unless there is no other. */
function withoutCutGroup(due: readonly PendingNotification[]): readonly PendingNotification[] {
  const last = due.at(-1)?.organization;
  const whole = due.slice(0, due.findLastIndex(({ organization }) => organization !== last) + 1);
  return whole.length > 0 ? whole : due;
}

function groupsOf(due: readonly PendingNotification[]): Group[] {
  const groups = Map.groupBy(due, ({ organization, channel, kind }) =>
    [channel, kind, organization].join(' '),
  );
  return [...groups.values()].flatMap((alerts) =>
    alerts.slice(0, 1).map(({ organization, channel, kind }) => ({
      ...{ organization, channel, kind },
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
  const { mail, webhook, ...pacing } = await settings.get(group.organization);
  const isWanted =
    group.channel === 'webhook'
      ? webhook !== null
      : mail !== null && (group.kind === 'alerts' || mail.digestMinute !== null);
  if (!isWanted) {
    await pending.remove(group.alerts);
    return [];
  }
  if (mail === null || group.channel === 'webhook') return inPieces(group, deliveries, now);
  const decision = group.kind === 'digest' ? digestAt(mail, pacing, now) : mailAt(pacing, now);
  if ('after' in decision) return inOne(group, deliveries, now, { before: pacing, after: decision.after });
  await pending.postpone(group.alerts, decision.wait);
  return [];
}

/** Either the pacing to store when a mail is created now, or the time until which it has to wait. */
type MailDecision = { readonly after: Partial<MailPacing> } | { readonly wait: Date };

function mailAt({ pause }: MailPacing, now: Date): MailDecision {
  const isWrong = pause !== null && isFromWrongClock(pause.until, now, LONGEST_PAUSE_SECONDS * 1000);
  const before = isWrong ? null : pause;
  if (before !== null && now < new Date(before.until)) return { wait: new Date(before.until) };
  return { after: { pause: pauseAfterMail(before, now) } };
}

/** One digest per day: alerts that miss it are sent with the next one. */
function digestAt({ digestMinute }: MailSettings, { lastDigestAt }: MailPacing, now: Date): MailDecision {
  const next =
    digestMinute === null || lastDigestAt === null || isFromWrongClock(lastDigestAt, now)
      ? now
      : nextDigest(digestMinute, new Date(lastDigestAt));
  return next <= now ? { after: { lastDigestAt: now.toISOString() } } : { wait: next };
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

/** One delivery that shows the most severe alerts and counts the others. */
async function inOne(
  group: Group,
  deliveries: GatherDependencies['deliveries'],
  now: Date,
  pacing: PacingChange,
): Promise<string[]> {
  const bySeverity = group.alerts.toSorted(
    (a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity),
  );
  const delivery = newDelivery(group, now);
  if (!(await deliveries.create(delivery, bySeverity.slice(0, MOST_SHOWN), pacing))) return [];
  for (let at = MOST_SHOWN; at < bySeverity.length; at += MOST_COUNTED) {
    await deliveries.addFurther(delivery, bySeverity.slice(at, at + MOST_COUNTED));
  }
  return [delivery.id];
}

function newDelivery({ organization, channel, kind }: Group, now: Date) {
  return { id: uuidv7({ msecs: now.getTime() }), organization, channel, kind, createdAt: now.toISOString() };
}
