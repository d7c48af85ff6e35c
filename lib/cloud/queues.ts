import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { inboundMail, queues, triggers } from '../../functions/triggers.ts';
import type { QueueName, Trigger, TriggerSource } from '../../shared/runtime/trigger.ts';

export interface WorkQueue {
  readonly queue: Queue;
  /** What was tried as often as the row of its consumer says, and failed each time. */
  readonly deadLetters: Queue;
}

export type WorkQueues = Readonly<Record<QueueName, WorkQueue>>;

/** The queues that mail waits in, of the mail stack; the service stack has the others. */
export type MailQueue = (typeof inboundMail)[keyof typeof inboundMail]['queue'];

export const mailQueues: readonly QueueName[] = Object.values(inboundMail).map(({ queue }) => queue);

export const serviceQueues = (Object.keys(queues) as QueueName[]).filter(
  (name): name is Exclude<QueueName, MailQueue> => !mailQueues.includes(name),
);

/** A message that is being worked on stays hidden for this many of its function's timeouts, as AWS advises. */
const VISIBILITY_TIMEOUTS = 6;

/**
 * Mail waits out an outage, and there is time to look at what failed. SQS counts from when a message was first sent, also
 * after it was set aside: four days are left then at least, of the longest that it keeps one.
 */
const RETENTION = { queue: Duration.days(10), deadLetters: Duration.days(14) };

/** A queue with its dead letters, as the row of `functions/triggers.ts` that works on it asks. */
export function makeQueue(scope: Construct, name: QueueName): WorkQueue {
  const consumer = queueConsumers[name];
  const deadLetters = new Queue(scope, `${name}DeadLetters`, {
    enforceSSL: true,
    retentionPeriod: RETENTION.deadLetters,
  });
  const queue = new Queue(scope, `${name}Queue`, {
    enforceSSL: true,
    retentionPeriod: RETENTION.queue,
    visibilityTimeout: Duration.seconds(consumer.visibilitySeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: consumer.source.maxReceiveCount },
  });
  return { queue, deadLetters };
}

/** Tells operators where a queue and its dead letters are. Of the scope of the stack, so that the names stay short. */
export function outputQueue(stack: Stack, name: string, { queue, deadLetters }: WorkQueue): void {
  const id = name.charAt(0).toUpperCase() + name.slice(1);
  new CfnOutput(stack, `${id}QueueUrl`, { value: queue.queueUrl });
  new CfnOutput(stack, `${id}DeadLettersUrl`, { value: deadLetters.queueUrl });
}

export type QueueSource = Extract<TriggerSource, { kind: 'queue' }>;

type QueueConsumer = Trigger & { readonly source: QueueSource; readonly visibilitySeconds: number };

/** The row that works on each queue, and for how long it hides a message. */
export const queueConsumers = Object.fromEntries(
  (Object.keys(queues) as QueueName[]).map((name) => [name, consumerOf(name)]),
) as Readonly<Record<QueueName, QueueConsumer>>;

/** A queue nobody works on is a mistake in the table. */
function consumerOf(name: QueueName): QueueConsumer {
  for (const row of Object.values<Trigger>(triggers)) {
    if (row.source.kind !== 'queue' || row.source.queue !== name) continue;
    return { ...row, source: row.source, visibilitySeconds: row.timeoutSeconds * VISIBILITY_TIMEOUTS };
  }
  throw new Error(`functions/triggers.ts: no row works on the queue ${name}`);
}
