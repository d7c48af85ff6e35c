import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { schedule } from '../../shared/runtime/workers/worker.ts';
import { deletionStore } from '../../shared/store/domains/deletions.ts';
import { triggers } from '../triggers.ts';

/** If a deletion takes longer than this, its message was lost. */
const PATIENCE_MILLISECONDS = 10 * 60_000;

export const handler = schedule(
  triggers.resumeDeletions,
  () => ({ deletions: deletionStore(table()), queue: queue('deletions'), clock }),
  async ({ deletions, queue, clock }) => {
    const before = new Date(clock.now().getTime() - PATIENCE_MILLISECONDS);
    for (const domainId of await deletions.unfinished(before)) await queue.send({ domainId });
  },
);
