/** What the runs have in common that gather alerts and digests: their shards, their time, and deliveries that wait. */
import type { NotificationKind } from '../alerts/notification.ts';
import type { DeliveryStore } from '../store/alerts/deliveries.ts';

export interface QueueDependencies {
  readonly deliveries: Pick<DeliveryStore, 'due' | 'tooFarAhead' | 'markQueued'>;
  /** Queues deliveries by id. One that is not queued is due again in a later run. */
  readonly enqueue: (deliveries: readonly string[]) => Promise<void>;
}

/** What one run queues again or corrects of a shard. */
export const MOST_LATE = 1_000;

/** The time that some work may take, with a margin; none starts when less time remains. */
const WORK_MILLISECONDS = 10_000;

export interface Run {
  readonly shards: readonly number[];
  readonly now: Date;
  readonly remainingMilliseconds: () => number;
}

export interface ShardRun {
  readonly shard: number;
  readonly now: Date;
  /** Does some work. Undefined if it fails; other work goes on, and the run throws the error at its end. */
  readonly attempt: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  readonly hasFailed: () => boolean;
  readonly hasTime: () => boolean;
}

/**
 * Works on these shards, all at the same time.
 * @throws AggregateError of all failures, after the rest is done.
 */
export async function eachShard(
  { shards, now, remainingMilliseconds }: Run,
  work: (run: ShardRun) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const hasTime = () => remainingMilliseconds() >= WORK_MILLISECONDS;
  await Promise.all(
    shards.map((shard) => {
      let hasFailed = false;
      const attempt = async <T>(some: () => Promise<T>): Promise<T | undefined> => {
        try {
          return await some();
        } catch (error) {
          hasFailed = true;
          failures.push(error);
          return undefined;
        }
      };
      return work({ shard, now, attempt, hasTime, hasFailed: () => hasFailed });
    }),
  );
  if (failures.length > 0)
    throw new AggregateError(failures, 'some notifications could not be queued for delivery');
}

/**
 * Queues deliveries that no worker took, and those that a wrong clock planned too far ahead. Queues before recording it:
 * an interruption in between queues a delivery twice, but never drops it.
 */
export async function queueAgain(
  kind: NotificationKind,
  { deliveries, enqueue }: QueueDependencies,
  { shard, now, attempt }: ShardRun,
): Promise<void> {
  for (const find of [deliveries.tooFarAhead, deliveries.due]) {
    await attempt(async () => {
      const found = await find(kind, shard, { now, limit: MOST_LATE });
      await enqueue(found.map(({ id }) => id));
      await deliveries.markQueued(found, now);
    });
  }
}
