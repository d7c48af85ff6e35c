/**
 * What stands around every handler that a queue or a schedule starts. One bad record never holds up its
 * neighbours: each is handled on its own, and only those that failed go back to the queue.
 */
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { areaOf } from './log-lines.ts';
import { record as tell } from './metric.ts';
import type { Trigger } from './trigger.ts';

/** What a worker is told beside its message. */
export interface Work {
  /** Milliseconds until the host ends this call. */
  readonly remainingMilliseconds: () => number;
}

/** What the worker of a queue is told of a message beside its body. */
export interface MessageWork extends Work {
  /** How often the message has been received, this time included. */
  readonly attempt: () => number;
  /** What this receive of it is called. */
  readonly receipt: string;
}

/** Thrown to have a message come again though nothing of ours has failed. */
export class ComesAgain extends Error {
  override readonly name = 'ComesAgain';
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
  handle: (message: Message, parts: Parts, work: MessageWork) => Promise<void>,
): QueueHandler<Parts> {
  let made: Parts | undefined;
  const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (event, context) => {
    made ??= parts();
    const ready = made;
    const outcomes = await Promise.allSettled(
      event.Records.map(async (record) =>
        handle(JSON.parse(record.body) as Message, ready, {
          remainingMilliseconds: () => context.getRemainingTimeInMillis(),
          attempt: () => Number(record.attributes.ApproximateReceiveCount),
          receipt: record.receiptHandle,
        }),
      ),
    );
    const failed = outcomes.flatMap((outcome, at) => {
      const record = event.Records[at];
      if (outcome.status === 'fulfilled' || record === undefined) return [];
      const { messageId } = record;
      const { reason: error } = outcome;
      if (!(error instanceof ComesAgain)) {
        tell('work failed', { area: areaOf(trigger), trigger: trigger.name, messageId, error });
      }
      return [{ itemIdentifier: messageId }];
    });
    tell('work', { trigger: trigger.name, records: event.Records.length, failed: failed.length });
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
    try {
      made ??= parts();
      await run(made, { remainingMilliseconds: () => context.getRemainingTimeInMillis() });
    } catch (error) {
      tell('turn failed', { area: areaOf(trigger), trigger: trigger.name, error });
      throw error;
    }
  });
  return Object.assign(handler as unknown as ScheduleHandler<Parts>, {
    trigger,
    with: (others: Parts) => schedule(trigger, () => others, run),
  });
}
