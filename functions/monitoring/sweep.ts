import { longestWait, nextCheckAt } from '../../shared/monitoring/check-times.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { schedule } from '../../shared/runtime/workers/worker.ts';
import { scheduleStore } from '../../shared/store/domains/schedule.ts';
import { DUE_SHARDS } from '../../shared/store/keys.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { triggers } from '../triggers.ts';

/** The queue is filled up to this number. More due domains wait in the index, oldest first. */
const MOST_QUEUED = 2_000;

/** The maximum of SendMessageBatch. */
const BATCH = 10;

/** How many domains of a shard one run brings forward that a wrong clock planned; the next run brings the others. */
const MOST_BROUGHT_FORWARD = 250;

/** Time reserved for one batch before the invocation times out. */
const BATCH_MILLISECONDS = 5_000;

export const handler = schedule(
  triggers.sweepDueDomains,
  () => ({
    schedule: scheduleStore(table()),
    organizations: organizationStore(table()),
    queue: queue('checks'),
    clock,
    record,
    intervalSeconds: config().CHECK_INTERVAL_SECONDS,
  }),
  async ({ schedule, organizations, queue, clock, record, intervalSeconds }, { remainingMilliseconds }) => {
    const now = clock.now();
    const room = Math.max(0, MOST_QUEUED - (await queue.size()));
    const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => shard);
    const found = await Promise.all(
      // Reads one domain per shard even if the queue is full, to measure how long the oldest has waited.
      shards.map((shard) => schedule.due(shard, now, Math.max(1, Math.ceil(room / DUE_SHARDS)))),
    );
    const waiting = found.flat().toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : 1));
    const due = waiting.slice(0, room);
    const paused = await organizations.paused(due.map(({ organization }) => organization));
    let domainsSent = 0;
    for (let at = 0; at < due.length && remainingMilliseconds() > BATCH_MILLISECONDS; at += BATCH) {
      // Sends before postponing: a crash in between sends a domain twice, but its turn can be claimed only once.
      const batch = due.slice(at, at + BATCH);
      const skipped = batch.filter(({ organization }) => paused.has(organization));
      const sent = await queue.sendBatch(batch.filter((one) => !skipped.includes(one)));
      domainsSent += sent.length;
      await Promise.all(
        [...sent, ...skipped].map((one) =>
          schedule.postpone(one, nextCheckAt(one.id, new Date(one.dueAt), now, intervalSeconds)),
        ),
      );
    }
    const domainsBroughtForward = await bringForward(schedule, now, longestWait(intervalSeconds));
    if (domainsBroughtForward > 0) record('planned too far ahead', { domainsBroughtForward });
    const [first] = waiting;
    const lag = first === undefined ? 0 : now.getTime() - new Date(first.dueAt).getTime();
    record('sweep', { sweepLagSeconds: Math.round(lag / 1000), domainsSent });
  },
);

/** Makes domains due that a wrong clock planned too far ahead; the next run queues them. Returns their number. */
async function bringForward(
  schedule: ReturnType<typeof scheduleStore>,
  now: Date,
  longestMilliseconds: number,
): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: DUE_SHARDS }, async (_, shard) => {
      const wanted = { now, longestMilliseconds, limit: MOST_BROUGHT_FORWARD };
      const found = await schedule.tooFarAhead(shard, wanted);
      for (const one of found) await schedule.postpone(one, now);
      return found.length;
    }),
  );
  return counts.reduce((a, b) => a + b);
}
