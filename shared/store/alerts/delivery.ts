/** A delivery, as it is stored. */
import type { AlertSeverity } from '../../alerts/alert.ts';
import type { Channel, NotificationKind } from '../../alerts/notification.ts';
import type { Item } from '../query.ts';

export type SeverityCounts = Readonly<Record<AlertSeverity, number>>;

/** Several alerts that are sent together. */
export interface Delivery {
  readonly id: string;
  readonly organization: string;
  readonly channel: Channel;
  readonly kind: NotificationKind | 'test';
  readonly alerts: readonly { readonly domainId: string; readonly id: string }[];
  /** The number of further alerts that are counted but not shown. */
  readonly further: SeverityCounts;
  readonly createdAt: string;
}

/**
 * How long to wait for a worker to claim a delivery before another message is sent. Duplicate messages do no harm.
 */
const REQUEUE_MILLISECONDS = 60_000;

/** When another message is due if no worker claims the delivery that has a message at `iso`. */
export const requeueAt = (iso: string): string =>
  new Date(Date.parse(iso) + REQUEUE_MILLISECONDS).toISOString();

/** The queue of a delivery: tests are as urgent as alerts. */
export const queueOf = (kind: Delivery['kind']): NotificationKind => (kind === 'digest' ? kind : 'alerts');

/** The delivery in an item. */
export function decodeDelivery(item: Item): Delivery {
  const { id, organization, channel, kind, alerts, further, createdAt } = item;
  return { id, organization, channel, kind, alerts, further, createdAt };
}

/** How many attempts were made, including the current one, and how many of them failed. */
export function attemptsOf({ attempts = 0, failures = 0 }: Record<string, unknown>) {
  return { attempts: Number(attempts), failures: Number(failures) };
}
