import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { inboundMail, triggers } from '../../functions/triggers.ts';
import type { QueueName, Trigger, TriggerSource } from '../../shared/runtime/workers/trigger.ts';
import { queues } from '../../shared/runtime/workers/trigger.ts';
import { queueOutputs } from './queue-outputs.ts';

export interface WorkQueue {
  readonly queue: Queue;
  /** Messages that failed as often as the row of their consumer allows. */
  readonly deadLetters: Queue;
}

export type WorkQueues = Readonly<Record<QueueName, WorkQueue>>;

/** The queues of inbound mail, in the mail stack; all others are in the service stack. */
export type MailQueue = (typeof inboundMail)[keyof typeof inboundMail]['queue' | 'reader'];

export const mailQueues: readonly MailQueue[] = [
  ...new Set(Object.values(inboundMail).flatMap(({ queue, reader }) => [queue, reader])),
];

export const serviceQueues = (Object.keys(queues) as QueueName[]).filter(
  (name): name is Exclude<QueueName, MailQueue> => !(mailQueues as readonly QueueName[]).includes(name),
);

/** The visibility timeout as a multiple of the function's timeout, beside the time of batching, as recommended by AWS. */
const VISIBILITY_TIMEOUTS = 6;

/**
 * Long enough to survive an outage and to investigate failures. SQS counts the age of a message from when it was first
 * sent, also in the dead-letter queue, so at least four days remain there. 14 days is the maximum.
 */
const RETENTION = { queue: Duration.days(10), deadLetters: Duration.days(14) };

/**
 * A queue with its dead-letter queue, configured for its consumer in `functions/triggers.ts`, and encrypted with `key` or else by
 * SQS.
 */
export function makeQueue(scope: Construct, name: QueueName, key: IKey | undefined): WorkQueue {
  const encryption = key && { encryption: QueueEncryption.KMS, encryptionMasterKey: key };
  const consumer = queueConsumers[name];
  const deadLetters = new Queue(scope, `${name}DeadLetters`, {
    ...encryption,
    enforceSSL: true,
    retentionPeriod: RETENTION.deadLetters,
  });
  const queue = new Queue(scope, `${name}Queue`, {
    ...encryption,
    enforceSSL: true,
    retentionPeriod: RETENTION.queue,
    visibilityTimeout: Duration.seconds(consumer.visibilitySeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: consumer.source.maxReceiveCount },
  });
  return { queue, deadLetters };
}

/** Outputs the URLs of a queue and its dead-letter queue, in the scope of the stack, so that the names stay short. */
export function outputQueue(stack: Stack, name: string, { queue, deadLetters }: WorkQueue): void {
  const urls = { queue: queue.queueUrl, deadLetters: deadLetters.queueUrl };
  for (const [id, value] of Object.entries(queueOutputs(name, urls))) new CfnOutput(stack, id, { value });
}

export type QueueSource = Extract<TriggerSource, { kind: 'queue' }>;

type QueueConsumer = Trigger & { readonly source: QueueSource; readonly visibilitySeconds: number };

/** The consumer of each queue, with its visibility timeout. */
export const queueConsumers = Object.fromEntries(
  (Object.keys(queues) as QueueName[]).map((name) => [name, consumerOf(name)]),
) as Readonly<Record<QueueName, QueueConsumer>>;

/** A queue without a consumer is an error in the table. */
function consumerOf(name: QueueName): QueueConsumer {
  for (const row of Object.values<Trigger>(triggers)) {
    if (row.source.kind !== 'queue' || row.source.queue !== name) continue;
    const { batchingSeconds = 0 } = row.source;
    const visibilitySeconds = row.timeoutSeconds * VISIBILITY_TIMEOUTS + batchingSeconds;
    return { ...row, source: row.source, visibilitySeconds };
  }
  throw new Error(`functions/triggers.ts: no row consumes the queue ${name}`);
}
