/**
 * Deliveries: everything that is due for one organization on one channel is sent together. The transaction that creates
 * a delivery also removes its pending alerts. Each alert is therefore in exactly one delivery per channel, however many
 * workers run and wherever one crashes.
 *
 * Until it is done or given up, a delivery is in the index of deliveries, under the time at which a new queue message
 * for it is due. It does not depend on a single message: a worker can crash at any time, and any message can get lost.
 */

import * as z from 'zod/mini';
import type { NotificationKind } from '../../alerts/notification.ts';
import { changing, having, updateAt } from '../changes.ts';
import { dueInShards } from '../due-index.ts';
import { orNull } from '../item-schema.ts';
import { ABSENT, ConditionsFailed } from '../items.ts';
import {
  deliveriesDueBy,
  deliveryIndexKey,
  deliveryKey,
  deliveryListKey,
  notificationSettingsKey,
} from '../keys.ts';
import {
  between,
  type Continuable,
  filtered,
  ofIndex,
  type PageAfter,
  type Query,
  rowsOf,
} from '../query.ts';
import type { Table, Write } from '../table.ts';
import { type Ids, idsIn } from '../time-ids.ts';
import { latestTime } from '../wrong-clock.ts';
import {
  type Delivery,
  type DeliveryWithOutcome,
  deliveryAttempts,
  deliveryWithAttempts,
  deliveryWithOutcome,
  deliveryWithReason,
  queueOf,
  requeueAt,
  type SeverityCounts,
} from './delivery.ts';
import { type DigestPlan, planUpdate } from './digest-plans.ts';
import { LONGEST_RETRY_SECONDS } from './longest-waits.ts';
import type { MailPacing } from './notification-settings.ts';
import { type PendingNotification, pendingRemovals } from './pending.ts';

/**
 * A delivery that is neither done nor given up. `nextAttemptAt` is the ISO time before which no worker attempts it; null
 * before the first attempt.
 */
const openDelivery = z.pipe(
  z.extend(deliveryWithAttempts, { ...deliveryWithReason.shape, leaseUntil: orNull(z.string()) }),
  z.transform(({ leaseUntil, ...delivery }) => ({ ...delivery, nextAttemptAt: leaseUntil })),
);

export type OpenDelivery = Readonly<z.infer<typeof openDelivery>>;

/** A delivery for which a queue message is due. `dueAt` is its due time in the index. */
const dueDelivery = z.pipe(
  z.object({ id: z.string(), gsi1sk: z.string() }),
  z.transform(({ id, gsi1sk }) => ({ id, dueAt: gsi1sk })),
);

type DueDelivery = Readonly<z.infer<typeof dueDelivery>>;

/** An entry of the list of an organization's deliveries. */
const listedDelivery = z.object({ sk: z.string() });

/** A page of the deliveries that were created from a time on, and before another one; in ISO form. */
export interface DeliveryPage extends PageAfter {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface DeliveryFilter {
  readonly status?: DeliveryWithOutcome['status'] | undefined;
  readonly channel?: DeliveryWithOutcome['channel'] | undefined;
}

/** How many deliveries a request for those with a status or a channel searches: about 500 read units. */
export const MAX_SEARCHED_DELIVERIES = 1000;
/** What one request can read. */
const READ_TOGETHER = 100;

/** A change of an organization's mail pacing. */
export interface PacingChange {
  readonly before: MailPacing;
  readonly after: MailPacing;
}

export type DeliveryStore = ReturnType<typeof deliveryStore>;

/** Longer than messages stay in the dead-letter queue, so that they can still be delivered from there. */
const KEPT_SECONDS = 30 * 86_400;

const kinds: readonly NotificationKind[] = ['alerts', 'digest'];

/** A delivery of many alerts names what raised the first ones. */
const MOST_CORRELATIONS = 20;

const none: SeverityCounts = { info: 0, warning: 0, critical: 0 };

export function deliveryStore(table: Table) {
  return {
    ...deliveryAttempts(table),
    ...dueInShards(table, deliveriesDueBy, dueDelivery, (_, now) =>
      requeueAt(latestTime(now, LONGEST_RETRY_SECONDS * 1000)),
    ),

    /**
     * Creates one delivery of pending alerts and events. With `pacing`, also changes the organization's mail pacing, if it still
     * equals `pacing.before`.
     * Returns false and changes nothing if one of the alerts is no longer pending or the pacing has changed.
     */
    async create(
      delivery: Omit<Delivery, 'alerts' | 'further' | 'events' | 'correlations'>,
      pending: readonly PendingNotification[],
      pacing?: PacingChange,
    ): Promise<boolean> {
      const events = pending.flatMap(({ event }) => event ?? []);
      const alerts = pending.flatMap(({ domainId, alert, event }) =>
        event === undefined && domainId !== undefined ? [{ domainId, id: alert }] : [],
      );
      const ids = new Set(pending.flatMap(({ correlation }) => correlation ?? []));
      const correlations = [...ids].slice(0, MOST_CORRELATIONS);
      const writes: Write[] = [
        ...putsOf(
          { ...delivery, alerts, further: none, events, ...(ids.size > 0 && { correlations }) },
          requeueAt(delivery.createdAt),
        ),
        ...(pacing === undefined ? [] : [pacingUpdate(delivery.organization, pacing)]),
      ];
      return transactRemoving(pending, writes);
    },

    /**
     * Creates the digest of a plan, and sets the plan's next time. Returns false and changes nothing if the plan changed
     * since it was read.
     */
    async createDigest(
      plan: DigestPlan,
      { id, createdAt, period }: Pick<Delivery, 'id' | 'createdAt' | 'period'>,
      next: Date,
    ): Promise<boolean> {
      const { organization } = plan;
      const content = { alerts: [], further: none, events: [], period };
      const delivery = { id, organization, channel: 'mail', kind: 'digest', ...content, createdAt } as const;
      const Update = planUpdate(plan, next.toISOString(), { lastDigestAt: createdAt });
      const failed = await table.tryTransact([...putsOf(delivery, requeueAt(createdAt)), { Update }]);
      return failed.size === 0;
    },

    /**
     * Adds pending alerts to the counts of a delivery that no worker has claimed yet. Returns false as `create` does.
     */
    async addFurther(
      { id }: Pick<Delivery, 'id'>,
      pending: readonly PendingNotification[],
    ): Promise<boolean> {
      const counts = Object.entries(Object.groupBy(pending, ({ severity }) => severity));
      const Update = {
        Key: deliveryKey(id),
        UpdateExpression: `SET ${counts.map(([name]) => `further.${name} = further.${name} + :${name}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(leaseUntil)',
        ExpressionAttributeValues: Object.fromEntries(
          counts.map(([name, list]) => [`:${name}`, list.length]),
        ),
      };
      return transactRemoving(pending, [{ Update }]);
    },

    /** Creates a delivery unless there is one with its ID. The caller queues it. */
    async createOnce(delivery: Delivery): Promise<void> {
      await table.tryTransact(putsOf(delivery, requeueAt(delivery.createdAt)));
    },

    /** Creates a delivery without alerts, which tests a channel. The next run of `gather` queues it. */
    async createTest(
      delivery: Pick<Delivery, 'id' | 'organization' | 'channel' | 'createdAt'>,
    ): Promise<void> {
      await createDue({ ...delivery, kind: 'test', alerts: [], further: none, events: [] });
    },

    /** Creates a further delivery of what an earlier one had, to where notifications are sent now. */
    async createAgain(
      { organization, channel, member, kind, alerts, further, events, period }: Delivery,
      { id, createdAt }: Pick<Delivery, 'id' | 'createdAt'>,
    ): Promise<void> {
      const to = { organization, channel, ...(member !== undefined && { member }) };
      await createDue({ id, createdAt, ...to, kind, alerts, further, events, period });
    },

    /**
     * One page of the deliveries of an organization, newest first. Reads nothing beyond the end of the page. The position of a
     * delivery is its ID.
     */
    async list(
      organization: string,
      { since, until, ...page }: DeliveryPage,
      now: Date,
    ): Promise<{ deliveries: readonly DeliveryWithOutcome[] } & Continuable> {
      const query = newestFirst(organization, idsIn({ since, until, after: page.after }));
      const { items, hasMore } = await table.page(query, listedDelivery, { ...page, aliveAt: now });
      return { deliveries: await deliveriesOf(items), hasMore, last: items.at(-1)?.sk };
    },

    /**
     * The same for those with a status, a channel, or both. Searches MAX_SEARCHED_DELIVERIES for them: then, a page after a
     * delivery and the first page have those that were found, and other pages with a number are `too-many`.
     */
    async search(
      organization: string,
      { status, channel }: DeliveryFilter,
      { since, until, ...page }: DeliveryPage,
      now: Date,
    ): Promise<({ deliveries: readonly DeliveryWithOutcome[] } & Continuable) | 'too-many'> {
      const query = newestFirst(organization, idsIn({ since, until, after: page.after }));
      const { skip, end } = rowsOf(page);
      const most = { most: MAX_SEARCHED_DELIVERIES + 1, aliveAt: now };
      const listed = await table.query(query, listedDelivery, most);
      const found: DeliveryWithOutcome[] = [];
      const searched = listed.slice(0, MAX_SEARCHED_DELIVERIES);
      for (let at = 0; found.length <= end; at += READ_TOGETHER) {
        const some = searched.slice(at, at + READ_TOGETHER);
        if (some.length === 0) break;
        const read = await deliveriesOf(some);
        found.push(
          ...read.filter(
            (one) =>
              (status === undefined || one.status === status) &&
              (channel === undefined || one.channel === channel),
          ),
        );
      }
      const deliveries = found.slice(skip, end);
      if (found.length > end) return { deliveries, hasMore: true, last: deliveries.at(-1)?.id };
      if (listed.length <= MAX_SEARCHED_DELIVERIES) return { deliveries, hasMore: false, last: undefined };
      if (skip > 0) return 'too-many';
      return { deliveries, hasMore: true, last: searched.at(-1)?.sk };
    },

    /** A delivery of an organization, and what became of it; undefined if the organization has no such delivery. */
    async outcomeOf(organization: string, id: string): Promise<DeliveryWithOutcome | undefined> {
      const delivery = await table.get(deliveryKey(id), deliveryWithOutcome);
      return delivery?.organization === organization && isListed(delivery) ? delivery : undefined;
    },

    /** Records that queue messages were sent. If a worker is interrupted before this, the messages are sent again. */
    async markQueued(sent: readonly DueDelivery[], now: Date): Promise<void> {
      const again = { gsi1sk: requeueAt(now.toISOString()) };
      await Promise.all(
        sent.map(({ id, dueAt }) =>
          table.update(deliveryKey(id), changing(again, having({ gsi1sk: dueAt }))),
        ),
      );
    },

    /**
     * The deliveries of an organization that are neither done nor given up, oldest first. Reads those of all
     * organizations in its shard.
     */
    async open(organization: string): Promise<OpenDelivery[]> {
      const found = kinds.map((kind) =>
        table.query(
          filtered(ofIndex(deliveryIndexKey(kind, organization, '')), { organization }),
          openDelivery,
        ),
      );
      const open = (await Promise.all(found)).flat();
      return open.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },

    /** A delivery, and why its last failed attempt failed; undefined if it does not exist or expired. */
    async get(id: string): Promise<(Delivery & { readonly reason: string | null }) | undefined> {
      return table.get(deliveryKey(id), deliveryWithReason);
    },
  };

  /** The deliveries that entries of a list name. */
  async function deliveriesOf(
    listed: readonly z.infer<typeof listedDelivery>[],
  ): Promise<readonly DeliveryWithOutcome[]> {
    const reads = listed.map(({ sk }) => ({ key: deliveryKey(sk), schema: deliveryWithOutcome }));
    const found = await table.getMany(reads, { isConsistent: false });
    return reads.flatMap((read) => found.of(read) ?? []);
  }

  /** Creates a delivery that the next run of `gather` queues. @throws ConditionsFailed if its id is not new. */
  async function createDue(delivery: Delivery): Promise<void> {
    const failed = await table.tryTransact(putsOf(delivery, delivery.createdAt));
    if (failed.size > 0) throw new ConditionsFailed(failed);
  }

  /** Performs writes and removes pending alerts in one transaction. */
  async function transactRemoving(
    pending: readonly PendingNotification[],
    writes: readonly Write[],
  ): Promise<boolean> {
    return (await table.tryTransact([...writes, ...pendingRemovals(pending)])).size === 0;
  }
}

const newestFirst = (organization: string, { low, high }: Ids): Query => ({
  ...between(deliveryListKey(organization, '').pk, low, high),
  ScanIndexForward: false,
});

/** One for all members is not listed: those that it becomes are. */
const isListed = ({ members }: Pick<Delivery, 'members'>): boolean => members === undefined;

/** The writes of a new delivery, and of its entry in the list of its organization. */
function putsOf(delivery: Delivery, sendAt: string): Write[] {
  const { id, organization, kind, createdAt } = delivery;
  const expiresAt = Math.ceil(Date.parse(createdAt) / 1000) + KEPT_SECONDS;
  const due = deliveryIndexKey(queueOf(kind), organization, sendAt);
  return [
    { Put: { Item: { ...deliveryKey(id), ...due, expiresAt, ...delivery }, ...ABSENT } },
    ...(isListed(delivery) ? [{ Put: { Item: { ...deliveryListKey(organization, id), expiresAt } } }] : []),
  ];
}

function pacingUpdate(organization: string, { before, after }: PacingChange): Write {
  const isSame = having({ pause: before.pause ?? undefined });
  return { Update: updateAt(notificationSettingsKey(organization), { pause: after.pause }, isSame) };
}
