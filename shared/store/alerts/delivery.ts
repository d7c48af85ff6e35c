/** A delivery, as it is stored. */
import * as z from 'zod/mini';
import { event, eventKinds } from '../../alerts/event.ts';
import { channel, type NotificationKind, notificationKind, severities } from '../../alerts/notification.ts';
import { counter, listOfKnown, orNull } from '../item-schema.ts';

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
