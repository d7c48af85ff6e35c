/** SQS and S3 for one machine, on one loopback endpoint, as far as this service uses them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Guard, openToAll } from './guard.ts';
import { type LoopbackRequest, serveLoopback } from './loopback-server.ts';
import { openObjectStore } from './objects/object-store.ts';
import { answerS3 } from './objects/operations.ts';
import { answerSqs, queueUrlAt, SQS_TARGET } from './queues/operations.ts';
import { openQueueStore, type QueueDefinition } from './queues/queue-store.ts';

export interface QueuesAndObjectsOptions {
  /** Holds `queues.sqlite` and `objects.sqlite`; made if it is not there. */
  readonly dataFolder: string;
  readonly buckets: readonly string[];
  /** For how many days objects are kept; 0, the default, for good. */
  readonly objectDays?: number;
  /** Each with its dead letters: see `deadLettersOf`. */
  readonly queues: readonly QueueDefinition[];
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Open to all by default. */
  readonly guard?: Guard;
  /** Asked of every request: see `LoopbackOptions`. */
  readonly sessionToken?: string;
}

export interface QueuesAndObjects {
  /** For `AWS_ENDPOINT_URL`. */
  readonly endpoint: string;
  queueUrl(name: string): string;
  /** Ends long polls, answers the requests under way and closes the files. */
  stop(): Promise<void>;
}

/** More than a mail: SES receives up to 40 MB. */
const MAX_BODY = 64 * 1024 * 1024;

const DAY_MILLISECONDS = 86_400_000;
const LIFECYCLE_MILLISECONDS = 3_600_000;

/** Rejects where the port is taken or a file cannot be used. */
export async function startQueuesAndObjects(options: QueuesAndObjectsOptions): Promise<QueuesAndObjects> {
  const { dataFolder, buckets, queues, port = 0, objectDays = 0, guard = openToAll, sessionToken } = options;
  mkdirSync(dataFolder, { recursive: true });
  const queueStore = openQueueStore(join(dataFolder, 'queues.sqlite'), queues);
  const objectStore = openObjectStore(join(dataFolder, 'objects.sqlite'), buckets);
  const expire = () => objectStore.expire(new Date(Date.now() - objectDays * DAY_MILLISECONDS));
  const lifecycle = objectDays === 0 ? undefined : setInterval(expire, LIFECYCLE_MILLISECONDS);
  if (lifecycle !== undefined) expire();
  const answer = (request: LoopbackRequest) =>
    String(request.headers['x-amz-target']).startsWith(SQS_TARGET)
      ? answerSqs(queueStore, request)
      : answerS3(objectStore, request);
  const close = (): void => {
    clearInterval(lifecycle);
    queueStore.close();
    objectStore.close();
  };
  try {
    const { endpoint, stop } = await serveLoopback({
      port,
      maxBody: MAX_BODY,
      sessionToken,
      answer: (request) => guard(request, answer),
    });
    return {
      endpoint,
      queueUrl: (name) => queueUrlAt(endpoint, name),
      stop: () => stop().then(close),
    };
  } catch (error) {
    close();
    throw error;
  }
}
