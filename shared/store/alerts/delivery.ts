/** A delivery, as it is stored, and its attempts: a worker claims it for a while, and records the outcome. */
import * as z from 'zod/mini';
import { event, eventKinds } from '../../alerts/event.ts';
import { channel, type NotificationKind, notificationKind, severities } from '../../alerts/notification.ts';
import { changing, having } from '../changes.ts';
import { counter, listOfKnown, orNull } from '../item-schema.ts';
import { PRESENT } from '../items.ts';
import { deliveryKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { latestTime } from '../wrong-clock.ts';
import { LONGEST_RETRY_SECONDS } from './longest-waits.ts';

/** How a delivery ends that is not given up. */
const settledOutcomes = ['delivered', 'dropped', 'switched-off'] as const;

export const deliveryStatuses = ['pending', 'failed', ...settledOutcomes, 'given-up'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

const severityCounts = z.record(z.enum(severities), z.number());

export type SeverityCounts = Readonly<z.infer<typeof severityCounts>>;

/** Several alerts that are sent together, or a digest, whose content is read when it is sent. */
const delivery = z.object({
  id: z.string(),
  organization: z.string(),
  channel,
  /** The member who gets it; none if the organization does. */
  member: z.optional(z.string()),
  /** The highest severity of its alerts, if it is for all members who have alerts mailed to them: it becomes one for each. */
  members: z.optional(z.enum(severities)),
  kind: z.union([notificationKind, z.literal('test')]),
  alerts: z.readonly(z.array(z.object({ domainId: z.string(), id: z.string() }))),
  /** The number of further alerts that are counted but not shown. */
  further: severityCounts,
  events: z._default(listOfKnown(eventKinds, event), []),
  /** The alerts that a digest is about: those raised from `since` until before `until`. ISO 8601. */
  period: z.optional(z.object({ since: z.string(), until: z.string() })),
  createdAt: z.string(),
  /** The IDs of what raised its first alerts and events, for log lines. */
  correlations: z.optional(z.readonly(z.array(z.string()))),
});

/** The message of the queues `notifications` and `digests`: the id of a delivery. */
export const deliveryMessage = z.object({ delivery: z.string() });

export type Delivery = Readonly<z.infer<typeof delivery>>;

/** A delivery, and why its last failed attempt failed. */
export const deliveryWithReason = z.extend(delivery, { reason: orNull(z.string()) });

/** A delivery, and what became of it. */
export const deliveryWithOutcome = z.pipe(
  z.extend(deliveryWithReason, {
    failures: counter,
    /** The mail address or the host of the webhook of the last attempt. */
    sentTo: orNull(z.string()),
    leaseUntil: orNull(z.string()),
    doneAt: orNull(z.string()),
    givenUpAt: orNull(z.string()),
    outcome: orNull(z.enum(settledOutcomes)),
  }),
  z.transform(({ failures, leaseUntil, doneAt, givenUpAt, outcome, reason, ...delivery }) => {
    const endedAt = doneAt ?? givenUpAt;
    const status: DeliveryStatus =
      givenUpAt !== null && doneAt === null ? 'given-up' : (outcome ?? (failures > 0 ? 'failed' : 'pending'));
    return {
      ...delivery,
      status,
      reason: status === 'delivered' ? null : reason,
      endedAt,
      nextAttemptAt: endedAt === null && failures > 0 ? leaseUntil : null,
    };
  }),
);

/** A delivery as lists show it. `nextAttemptAt` is when a failed one is tried again, and `endedAt` when it ended. */
export type DeliveryWithOutcome = Readonly<z.infer<typeof deliveryWithOutcome>>;

/** A delivery, how many attempts were made, including the current one, and how many of them failed. */
export const deliveryWithAttempts = z.extend(delivery, { attempts: counter, failures: counter });

/**
 * How long to wait for a worker to claim a delivery before another message is sent. Duplicate messages do no harm.
 */
const REQUEUE_MILLISECONDS = 60_000;

/** When another message is due if no worker claims the delivery that has a message at `iso`. */
export const requeueAt = (iso: string): string =>
  new Date(Date.parse(iso) + REQUEUE_MILLISECONDS).toISOString();

/** The queue of a delivery: tests are as urgent as alerts. */
export const queueOf = (kind: Delivery['kind']): NotificationKind => (kind === 'digest' ? kind : 'alerts');

/** A worker's temporary claim on a delivery. */
export interface Lease {
  readonly delivery: Delivery;
  /** ISO 8601. */
  readonly until: string;
  /**
   * Earlier attempts that failed, and earlier attempts that ended without an outcome, for example because of a crash.
   */
  readonly failures: number;
  readonly interruptions: number;
}

type ClaimOutcome =
  | { readonly status: 'claimed'; readonly lease: Lease }
  /**
   * It is done, another worker holds it, or its next attempt is not due yet. In the last two cases, another message
   * follows.
   */
  | { readonly status: 'not-due' }
  /** It was given up after this message was sent. */
  | { readonly status: 'given-up' };

/** A worker's request to claim a delivery. */
interface Claim {
  readonly now: Date;
  readonly leaseSeconds: number;
  /** When the message that requests the delivery was sent. */
  readonly sentAt: Date;
}

/** How an attempt ended: why it failed, and the mail address or the host of the webhook, if the attempt got that far. */
interface Ending {
  readonly reason?: string | null;
  readonly sentTo?: string | null;
}

/** When a delivery was given up and when it was done. */
const endedDelivery = z.object({ givenUpAt: z.optional(z.string()), doneAt: z.optional(z.string()) });

/** The part of the delivery store for workers that deliver. */
export function deliveryAttempts(table: Table) {
  return {
    /**
     * Claims a delivery for `leaseSeconds`. A delivery with an expired lease was interrupted and can be claimed again, and
     * so can one with a lease from a wrong clock.
     * A message that was sent after the delivery was given up was moved back from the dead-letter queue; it starts the
     * attempts over.
     */
    async claim(id: string, { now, leaseSeconds, sentAt }: Claim): Promise<ClaimOutcome> {
      const until = new Date(now.getTime() + leaseSeconds * 1000).toISOString();
      const isFree = {
        ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(doneAt)
          AND (attribute_not_exists(leaseUntil) OR leaseUntil <= :now OR leaseUntil > :latest)
          AND (attribute_not_exists(givenUpAt) OR givenUpAt < :sent)`,
        ExpressionAttributeValues: {
          ':now': now.toISOString(),
          ':latest': latestTime(now, LONGEST_RETRY_SECONDS * 1000),
          ':sent': sentAt.toISOString(),
        },
      };
      const leased = { leaseUntil: until, gsi1sk: until, givenUpAt: undefined };
      const change = changing(leased, isFree, { attempts: 1 });
      const claimed = await table.updateAndGet(deliveryKey(id), change, deliveryWithAttempts);
      if (claimed !== undefined) {
        const { attempts, failures, ...delivery } = claimed;
        // Excludes the current attempt.
        const interruptions = attempts - 1 - failures;
        return { status: 'claimed', lease: { delivery, until, failures, interruptions } };
      }
      const item = await table.get(deliveryKey(id), endedDelivery);
      const isGivenUp = item?.givenUpAt !== undefined && item.doneAt === undefined;
      return { status: isGivenUp ? 'given-up' : 'not-due' };
    },

    /** Marks a delivery as done, with its outcome. */
    async finish(
      { delivery }: { readonly delivery: Pick<Delivery, 'id'> },
      { outcome, reason = null, sentTo = null }: Ending & { outcome: string },
      now: Date,
    ): Promise<void> {
      const done = { doneAt: now.toISOString(), outcome, reason, sentTo };
      const unqueued = { gsi1pk: undefined, gsi1sk: undefined };
      await table.update(deliveryKey(delivery.id), changing({ ...done, ...unqueued }, PRESENT));
    },

    /**
     * Records that an attempt failed, and when the next one is due. The failed message itself returns at that time.
     */
    async fail(
      lease: Lease,
      { reason, nextAt, sentTo = null }: Ending & { reason: string; nextAt: Date },
    ): Promise<void> {
      const next = nextAt.toISOString();
      const change = { leaseUntil: next, gsi1sk: requeueAt(next), reason, sentTo };
      await endAttempt(lease, change, { failures: 1 });
    },

    /**
     * Stops all attempts until a message is moved back from the dead-letter queue. Without its sort key, the delivery is
     * in no shard, but the next claim returns it to the same one.
     */
    async giveUp(
      lease: Lease,
      { reason, sentTo = null }: Ending & { reason: string },
      now: Date,
    ): Promise<void> {
      const gone = { leaseUntil: undefined, gsi1sk: undefined, attempts: undefined, failures: undefined };
      await endAttempt(lease, { givenUpAt: now.toISOString(), reason, sentTo, ...gone });
    },
  };

  /** Updates a delivery at the end of an attempt, unless the lease expired and another worker claimed it. */
  async function endAttempt(
    { delivery, until }: Lease,
    set: Readonly<Record<string, unknown>>,
    add?: Readonly<Record<string, number>>,
  ): Promise<void> {
    const isHeld = having({ doneAt: undefined, leaseUntil: until });
    await table.update(deliveryKey(delivery.id), changing(set, isHeld, add));
  }
}
