import { rawMessageStore } from '../../shared/runtime/dependencies/raw-messages.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { worker } from '../../shared/runtime/workers/worker.ts';
import { deletionMessage, deletionStore } from '../../shared/store/domains/deletions.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { triggers } from '../triggers.ts';

export const handler = worker(
  triggers.drainDeletedDomain,
  deletionMessage,
  () => ({
    deletions: deletionStore(table()),
    domains: domainStore(table()),
    raw: rawMessageStore(),
    queue: queue('deletions'),
  }),
  async ({ domainId }, { deletions, domains, raw, queue }, { remainingMilliseconds }) => {
    const finished = await deletions.drain(domainId, remainingMilliseconds, async ({ rawKey, alsoFor }) => {
      const others = await Promise.all(alsoFor.map((mailbox) => domains.ofMailbox(mailbox)));
      if (others.every((domain) => domain === undefined)) await raw.remove(rawKey);
    });
    if (finished) record('deletion', { domainId });
    else await queue.send({ domainId });
  },
);
