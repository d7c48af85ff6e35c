/** The queues of a data folder on an endpoint of their own, for a process beside the one that handles their messages. */
import { serveLoopback } from '../loopback-server.ts';
import { answerSqs, queueUrlAt } from './operations.ts';
import { openQueueStore, type QueueDefinition } from './queue-store.ts';

export interface Queues {
  readonly endpoint: string;
  queueUrl(name: string): string;
  stop(): Promise<void>;
}

/** AWS, "Amazon SQS message quotas": a batch of messages, and what JSON adds to them. */
const MAX_BODY = 8 * 1024 * 1024;

/** Rejects where the file cannot be used. */
export async function startQueues(
  path: string,
  queues: readonly QueueDefinition[],
  sessionToken: string,
): Promise<Queues> {
  const store = openQueueStore(path, queues);
  const { endpoint, stop } = await serveLoopback({
    maxBody: MAX_BODY,
    sessionToken,
    answer: (request) => answerSqs(store, request),
  });
  return {
    endpoint,
    queueUrl: (name) => queueUrlAt(endpoint, name),
    stop: () => stop().then(() => store.close()),
  };
}
