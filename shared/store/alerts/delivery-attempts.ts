/** The attempts of a delivery: a worker claims it for a while, and records the outcome. */

import * as z from 'zod/mini';
import { changing, having } from '../changes.ts';
import { PRESENT } from '../items.ts';
import { deliveryKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { latestTime } from '../wrong-clock.ts';
import { type Delivery, deliveryWithAttempts, requeueAt } from './delivery.ts';
import { LONGEST_RETRY_SECONDS } from './longest-waits.ts';

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
