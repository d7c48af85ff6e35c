/**
 * Wraps every handler that a queue or a schedule starts. Each record of a batch is handled separately, and only the
 * records that failed return to the queue.
 */
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { correlated } from '../../network/correlation.ts';
import { areaOf } from '../logging/log-lines.ts';
import { record as recordMetric } from '../logging/metric.ts';
import { correlationOf, type MessageSchema, parseMessage } from './message.ts';
import type { ScheduleEvent, Trigger } from './trigger.ts';

/** Context of one invocation. */
export interface JobContext {
  /** Milliseconds until the invocation times out. */
  readonly remainingMilliseconds: () => number;
}

/** Context of one invocation by a schedule. */
type ScheduledWork = JobContext & ScheduleEvent;

/** Context of one queue message. */
export interface MessageWork extends JobContext {
  /** How often the message has been received, including this time. */
  readonly attempt: () => number;
  /** When the message was sent to the queue, or moved back from the dead-letter queue. */
  readonly sentAt: () => Date;
  /** When the message was first received. Lambda may then gather others for its batch. */
  readonly firstReceivedAt: () => Date;
  /** The receipt handle of this receive. */
  readonly receipt: string;
}

/** Throw this to receive the message again without logging a failure. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
}

type QueueHandler<Dependencies> = ((event: SQSEvent, context: Context) => Promise<SQSBatchResponse>) & {
  readonly trigger: Trigger;
  readonly with: (deps: Dependencies) => QueueHandler<Dependencies>;
};

/**
 * Makes the Lambda handler of a queue. `handle` gets each message as its schema reads it, and must be idempotent. If it
 * throws, or the message does not match the schema, the message returns to the queue; after too many receives it goes to the
 * dead-letter queue.
 */
export function worker<Message, Dependencies>(
  trigger: Trigger,
  schema: MessageSchema<Message>,
  makeDependencies: () => Dependencies,
  handle: (message: Message, deps: Dependencies, work: MessageWork) => Promise<void>,
): QueueHandler<Dependencies> {
  let deps: Dependencies | undefined;
  const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (event, context) => {
    deps ??= makeDependencies();
    const ready = deps;
    const outcomes = await Promise.allSettled(
      event.Records.map((record) =>
        underIdOf(record, async () =>
          handle(parseMessage(record.body, schema), ready, {
            remainingMilliseconds: () => context.getRemainingTimeInMillis(),
            attempt: () => Number(record.attributes.ApproximateReceiveCount),
            sentAt: () => new Date(Number(record.attributes.SentTimestamp)),
            firstReceivedAt: () => new Date(Number(record.attributes.ApproximateFirstReceiveTimestamp)),
            receipt: record.receiptHandle,
          }),
        ),
      ),
    );
    const failed = outcomes.flatMap((outcome, at) => {
      const record = event.Records[at];
      if (outcome.status === 'fulfilled' || record === undefined) return [];
      const { messageId } = record;
      const { reason: error } = outcome;
      if (!(error instanceof RetryLater)) {
        underIdOf(record, () =>
          recordMetric('work failed', { area: areaOf(trigger), trigger: trigger.name, messageId, error }),
        );
      }
      return [{ itemIdentifier: messageId }];
    });
    recordMetric('work', { trigger: trigger.name, records: event.Records.length, failed: failed.length });
    return { batchItemFailures: failed };
  });
  return Object.assign(handler as unknown as QueueHandler<Dependencies>, {
    trigger,
    with: (others: Dependencies) => worker(trigger, schema, () => others, handle),
  });
}

/** A message that nobody gave an ID has its own. */
const underIdOf = <T>({ body, messageId }: SQSRecord, work: () => T): T =>
  correlated(correlationOf(body) ?? messageId, work);

type ScheduleHandler<Dependencies> = ((event: Partial<ScheduleEvent>, context: Context) => Promise<void>) & {
  readonly trigger: Trigger;
  readonly with: (deps: Dependencies) => ScheduleHandler<Dependencies>;
};

/** Makes the Lambda handler of a schedule. An event without a part asks for all the work. If `run` throws, the invocation fails; the next one tries again. */
export function schedule<Dependencies>(
  trigger: Trigger,
  makeDependencies: () => Dependencies,
  run: (deps: Dependencies, work: ScheduledWork) => Promise<void>,
): ScheduleHandler<Dependencies> {
  let deps: Dependencies | undefined;
  const handler = middy<Partial<ScheduleEvent>, void>().handler((event, context) =>
    correlated(context.awsRequestId, () => turn(event, context)),
  );
  async function turn({ part = 0, parts = 1 }: Partial<ScheduleEvent>, context: Context): Promise<void> {
    try {
      deps ??= makeDependencies();
      await run(deps, { part, parts, remainingMilliseconds: () => context.getRemainingTimeInMillis() });
    } catch (error) {
      recordMetric('turn failed', { area: areaOf(trigger), trigger: trigger.name, error });
      throw error;
    }
  }
  return Object.assign(handler as unknown as ScheduleHandler<Dependencies>, {
    trigger,
    with: (others: Dependencies) => schedule(trigger, () => others, run),
  });
}
