import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { schedule } from '../../shared/runtime/workers/worker.ts';
import { fetchedMailboxStore } from '../../shared/store/fetched-mailboxes.ts';
import { DUE_SHARDS } from '../../shared/store/keys.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { triggers } from '../triggers.ts';

/** Of each shard in a run; the others wait a minute longer. */
const MOST_OF_SHARD = 100;

/** The maximum of SendMessageBatch. */
const BATCH = 10;

export const handler = schedule(
  triggers.queueDueMailboxes,
  () => ({
    mailboxes: fetchedMailboxStore(table()),
    organizations: organizationStore(table()),
    queue: queue('mailboxes'),
    clock,
  }),
  async ({ mailboxes, organizations, queue, clock }) => {
    const now = clock.now();
    const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => shard);
    const found = await Promise.all(
      shards.map(async (shard) => {
        const wrong = await mailboxes.tooFarAhead(shard, now, MOST_OF_SHARD);
        return [...wrong, ...(await mailboxes.due(shard, now, MOST_OF_SHARD))];
      }),
    );
    const due = found.flat();
    const paused = await organizations.paused(due.map(({ organization }) => organization));
    for (let at = 0; at < due.length; at += BATCH) {
      const some = due.slice(at, at + BATCH);
      const wanted = some.filter(({ organization }) => !paused.has(organization));
      const sent = await queue.sendBatch(wanted.map(({ organization, id }) => ({ organization, id })));
      // Sends before postponing: a crash in between sends a mailbox twice, but only one worker can claim it.
      const ids = new Set(sent.map(({ id }) => id));
      const postponed = some.filter(({ id, organization }) => ids.has(id) || paused.has(organization));
      await Promise.all(
        postponed.map((one) => mailboxes.postpone(one, new Date(now.getTime() + one.everySeconds * 1000))),
      );
    }
  },
);
