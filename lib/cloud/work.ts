import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { queues as queueTable, triggers } from '../../functions/triggers.ts';
import type { QueueName, Trigger, TriggerSource } from '../../shared/runtime/trigger.ts';
import type { MakeFunction } from './function.ts';

/** A message that is being worked on stays hidden for this many of its function's timeouts, as AWS advises. */
const VISIBILITY_TIMEOUTS = 6;

/** Functions that one queue may keep busy: a new account runs ten at once, and the API needs its share. */
const MAX_CONCURRENCY = 5;

/** The longest that SQS keeps a message: time to look at what failed. */
const DEAD_LETTER_RETENTION = Duration.days(14);

/** The longest that Lambda keeps an event that it cannot hand to a function yet. */
const LONGEST_EVENT_AGE_SECONDS = 6 * 3600;

/** Everything that runs without a request: the queues with their dead letters, and the schedules. */
export class Work extends Construct {
  readonly queues: Readonly<Record<QueueName, Queue>>;
  readonly #clock: Role;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#clock = new Role(this, 'Clock', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    });
    const names = Object.keys(queueTable) as QueueName[];
    this.queues = Object.fromEntries(names.map((name) => [name, this.#makeQueue(name)])) as Record<
      QueueName,
      Queue
    >;
  }

  /** A function for each row of `functions/triggers.ts`, started by what the row names. */
  start(makeFunction: MakeFunction): void {
    for (const row of Object.values(triggers)) {
      const made = makeFunction(this, row);
      if (row.source.kind === 'queue') {
        this.#consume(row.source, made);
      } else {
        this.#schedule(row, row.source, made);
      }
    }
  }

  #makeQueue(name: QueueName): Queue {
    const consumer = consumerOf(name);
    return new Queue(this, `${name}Queue`, {
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(consumer.timeoutSeconds * VISIBILITY_TIMEOUTS),
      deadLetterQueue: {
        queue: new Queue(this, `${name}DeadLetters`, {
          enforceSSL: true,
          retentionPeriod: DEAD_LETTER_RETENTION,
        }),
        maxReceiveCount: consumer.source.maxReceiveCount,
      },
    });
  }

  #consume({ queue, batchSize }: QueueSource, consumer: LambdaFunction): void {
    consumer.addEventSource(
      new SqsEventSource(this.queues[queue], {
        batchSize,
        reportBatchItemFailures: true,
        maxConcurrency: MAX_CONCURRENCY,
      }),
    );
  }

  #schedule(row: Trigger, { everySeconds }: ScheduleSource, made: LambdaFunction): void {
    // What one turn missed the next one finds, so none is tried again or kept waiting beyond the next.
    const patience = {
      retryAttempts: 0,
      maxEventAge: Duration.seconds(Math.min(everySeconds, LONGEST_EVENT_AGE_SECONDS)),
    };
    made.configureAsyncInvoke(patience);
    this.#clock.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [made.functionArn] }),
    );
    new Schedule(this, `${row.name}Schedule`, {
      description: row.summary,
      schedule: ScheduleExpression.rate(Duration.seconds(everySeconds)),
      // The target would let its role invoke every version of the function as well.
      target: new LambdaInvoke(made, { ...patience, role: this.#clock.withoutPolicyUpdates() }),
    });
  }
}

type QueueSource = Extract<TriggerSource, { kind: 'queue' }>;
type ScheduleSource = Extract<TriggerSource, { kind: 'schedule' }>;

/** The row that works on a queue; a queue nobody works on is a mistake in the table. */
function consumerOf(name: QueueName): Trigger & { readonly source: QueueSource } {
  for (const row of Object.values<Trigger>(triggers)) {
    if (row.source.kind === 'queue' && row.source.queue === name) return { ...row, source: row.source };
  }
  throw new Error(`functions/triggers.ts: no row works on the queue ${name}`);
}
