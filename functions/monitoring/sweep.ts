import { nextCheckAt } from '../../shared/monitoring/rhythm.ts';
import { config } from '../../shared/runtime/config.ts';
import { queue } from '../../shared/runtime/queue.ts';
import { clock, table } from '../../shared/runtime/services.ts';
import { schedule } from '../../shared/runtime/worker.ts';
import { DUE_SHARDS } from '../../shared/store/keys.ts';
import { scheduleStore } from '../../shared/store/schedule.ts';
import { triggers } from '../triggers.ts';

/** The queue is filled up to this and no further: what is due beyond that waits in the index, oldest first. */
const MOST_QUEUED = 2_000;

/** SendMessageBatch takes this many. */
const BATCH = 10;

/** What a batch may take, with time to spare; the host ends a sweep that goes on for longer. */
const BATCH_MILLISECONDS = 5_000;

export const handler = schedule(
  triggers.sweepDueDomains,
  () => ({
    schedule: scheduleStore(table()),
    queue: queue('checks'),
    clock,
    intervalSeconds: config().CHECK_INTERVAL_SECONDS,
  }),
  async ({ schedule, queue, clock, intervalSeconds }, { remainingMilliseconds }) => {
    const now = clock.now();
    const room = MOST_QUEUED - (await queue.size());
    if (room <= 0) return;
    const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => shard);
    const found = await Promise.all(
      shards.map((shard) => schedule.due(shard, now, Math.ceil(room / DUE_SHARDS))),
    );
    const due = found.flat().toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : 1));
    for (let at = 0; at < due.length && remainingMilliseconds() > BATCH_MILLISECONDS; at += BATCH) {
      // Sent before it is postponed: after a crash in between it is sent twice, and the turn is taken once.
      const sent = await queue.sendBatch(due.slice(at, at + BATCH));
      await Promise.all(
        sent.map((one) =>
          schedule.postpone(one, nextCheckAt(one.id, new Date(one.dueAt), now, intervalSeconds)),
        ),
      );
    }
  },
);
