/**
 * What stands around every handler that a queue or a schedule starts. One bad record never holds up its
 * neighbours: each is handled on its own, and only those that failed go back to the queue.
 */
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { config } from './config.ts';
import { createLog } from './log.ts';
import type { Trigger } from './trigger.ts';

/** What a worker is told beside its message. */
export interface Work {
  /** Milliseconds until the host ends this call. */
  readonly remainingMilliseconds: () => number;
}

export type QueueHandler<Parts> = ((event: SQSEvent, context: Context) => Promise<SQSBatchResponse>) & {
  readonly trigger: Trigger;
  readonly with: (parts: Parts) => QueueHandler<Parts>;
};

/**
 * Makes the Lambda handler of a queue. `handle` gets each message's body read as JSON and must be idempotent; what
 * it throws sends that message back, to be tried again and in the end set aside in the dead-letter queue.
 */
export function worker<Message, Parts>(
  trigger: Trigger,
  parts: () => Parts,
  handle: (message: Message, parts: Parts, work: Work) => Promise<void>,
): QueueHandler<Parts> {
  let made: Parts | undefined;
  const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (event, context) => {
    made ??= parts();
    const ready = made;
    const work: Work = { remainingMilliseconds: () => context.getRemainingTimeInMillis() };
    const log = createLog(config().LOG_LEVEL);
    const outcomes = await Promise.allSettled(
      event.Records.map(async (record) => handle(JSON.parse(record.body) as Message, ready, work)),
    );
    const failed = outcomes.flatMap((outcome, at) => {
      const record = event.Records[at];
      if (outcome.status === 'fulfilled' || record === undefined) return [];
      log.error('work failed', { trigger: trigger.name, messageId: record.messageId, error: outcome.reason });
      return [{ itemIdentifier: record.messageId }];
    });
    log.info('work', { trigger: trigger.name, records: event.Records.length, failed: failed.length });
    return { batchItemFailures: failed };
  });
  return Object.assign(handler as unknown as QueueHandler<Parts>, {
    trigger,
    with: (others: Parts) => worker(trigger, () => others, handle),
  });
}

export type ScheduleHandler<Parts> = ((event: unknown, context: Context) => Promise<void>) & {
  readonly trigger: Trigger;
  readonly with: (parts: Parts) => ScheduleHandler<Parts>;
};

/** Makes the Lambda handler of a schedule; what it throws is an error of the function, and the next turn tries again. */
export function schedule<Parts>(
  trigger: Trigger,
  parts: () => Parts,
  run: (parts: Parts, work: Work) => Promise<void>,
): ScheduleHandler<Parts> {
  let made: Parts | undefined;
  const handler = middy<unknown, void>().handler(async (_event, context) => {
    made ??= parts();
    await run(made, { remainingMilliseconds: () => context.getRemainingTimeInMillis() });
  });
  return Object.assign(handler as unknown as ScheduleHandler<Parts>, {
    trigger,
    with: (others: Parts) => schedule(trigger, () => others, run),
  });
}
