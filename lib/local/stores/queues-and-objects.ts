/** The parts of SQS and S3 that this service uses, on one loopback endpoint. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MILLISECONDS } from '../../../shared/protocol/time.ts';
import { OBJECTS_FILE, QUEUES_FILE } from './files.ts';
import {
  type LoopbackAccess,
  type LoopbackRequest,
  type LoopbackServer,
  serveLoopback,
} from './loopback-server.ts';
import { openObjectStore } from './objects/object-store.ts';
import { answerS3 } from './objects/operations.ts';
import { answerSqs, queueUrlAt, SQS_TARGET } from './queues/operations.ts';
import {
  type DeadLetter,
  openQueueStore,
  type QueueCounts,
  type QueueDefinition,
} from './queues/queue-store.ts';

interface QueuesAndObjectsOptions extends LoopbackAccess {
  /** The folder for `queues.sqlite` and `objects.sqlite`, created if it does not exist. */
  readonly dataFolder: string;
  readonly buckets: readonly string[];
  /** How many days objects are kept. 0, the default, keeps them forever. */
  readonly objectDays?: number;
  /** Each queue also gets a dead-letter queue: see `deadLettersOf`. */
  readonly queues: readonly QueueDefinition[];
  /** Called with each error of the files. */
  readonly onFailure?: (error: unknown) => void;
  /** Called for each message that moves to a dead-letter queue. */
  readonly onDeadLetter?: (message: DeadLetter) => void;
}

/** Its `endpoint` is for `AWS_ENDPOINT_URL`. Its stop ends long polls and closes the files. */
export interface QueuesAndObjects extends LoopbackServer {
  queueUrl(name: string): string;
  /** What is in a queue or a dead-letter queue. */
  queueCounts(name: string): QueueCounts;
  /** To be called when the clock was set back: see `QueueStore`. */
  clockSetBack(milliseconds: number): void;
  /** To be called after a time without writes: see `QueueStore`. */
  recover(): void;
}

/** Bytes. Larger than any message: SES receives up to 40 MB. */
const MAX_BODY = 64 * 1024 * 1024;

const LIFECYCLE_MILLISECONDS = 3_600_000;
const SPACE_MILLISECONDS = 5000;

/** The promise rejects if the port is in use or a file cannot be used. */
export async function startQueuesAndObjects(options: QueuesAndObjectsOptions): Promise<QueuesAndObjects> {
  const { dataFolder, buckets, queues, objectDays = 0, ...others } = options;
  const { onDeadLetter, onFailure = () => {}, ...access } = others;
  mkdirSync(dataFolder, { recursive: true });
  const queueStore = openQueueStore(join(dataFolder, QUEUES_FILE), queues, onDeadLetter);
  queueStore.recover();
  const objectStore = openObjectStore(join(dataFolder, OBJECTS_FILE), buckets);
  const expire = () => objectStore.expire(new Date(Date.now() - objectDays * DAY_MILLISECONDS));
  const attempt = (work: () => void) => () => {
    try {
      work();
    } catch (error) {
      onFailure(error);
    }
  };
  const timers = [setInterval(attempt(objectStore.giveBackSpace), SPACE_MILLISECONDS)];
  if (objectDays > 0) {
    expire();
    timers.push(setInterval(attempt(expire), LIFECYCLE_MILLISECONDS));
  }
  const answer = (request: LoopbackRequest) =>
    String(request.headers['x-amz-target']).startsWith(SQS_TARGET)
      ? answerSqs(queueStore, request, onFailure)
      : answerS3(objectStore, request, onFailure);
  const close = (): void => {
    for (const timer of timers) clearInterval(timer);
    queueStore.close();
    objectStore.close();
  };
  try {
    const server = await serveLoopback({
      ...access,
      maxBody: MAX_BODY,
      answer,
    });
    return {
      ...server,
      queueUrl: (name) => queueUrlAt(server.endpoint, name),
      queueCounts: queueStore.counts,
      clockSetBack: queueStore.clockSetBack,
      recover: queueStore.recover,
      stop: () => server.stop().then(close),
    };
  } catch (error) {
    close();
    throw error;
  }
}
