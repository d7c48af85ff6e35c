/** The queues of the rows of `functions/triggers.ts`. */
import type { Trigger } from '../../../shared/runtime/workers/trigger.ts';
import type { QueueDefinition } from '../stores/queues/queue-store.ts';

/** AWS recommends six times the function's timeout, so that a message is not delivered twice at the same time. */
const TIMEOUTS_HIDDEN = 6;

export const queueDefinitions = (rows: readonly Trigger[]): QueueDefinition[] =>
  rows.flatMap(({ source, timeoutSeconds }) =>
    source.kind === 'queue'
      ? [
          {
            name: source.queue,
            maxReceiveCount: source.maxReceiveCount,
            visibilityTimeoutSeconds: timeoutSeconds * TIMEOUTS_HIDDEN,
          },
        ]
      : [],
  );
