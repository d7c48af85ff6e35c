import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { triggers } from '../../functions/triggers.ts';
import type { QueueName, Trigger, TriggerSource } from '../../shared/runtime/trigger.ts';
import type { Settings } from './config.ts';
import type { MakeFunction } from './function.ts';
import { mailQueues, type QueueSource, type WorkQueues } from './queues.ts';

/** Functions that a queue keeps busy unless a setting says so: a new account runs ten at once, and the API needs its share. */
const WORKERS = 5;

/** The longest that Lambda keeps an event that it cannot hand to a function yet. */
const LONGEST_EVENT_AGE_SECONDS = 6 * 3600;

/** Everything that runs without a request: a function for each row of `functions/triggers.ts`, started by its source. */
export class Work extends Construct {
  readonly #queues: WorkQueues;
  readonly #workers: Partial<Record<QueueName, number>>;
  readonly #clock: Role;

  constructor(
    scope: Construct,
    id: string,
    queues: WorkQueues,
    makeFunction: MakeFunction,
    { checkWorkers, mailWorkers }: Settings,
  ) {
    super(scope, id);
    this.#queues = queues;
    this.#workers = {
      checks: checkWorkers,
      ...Object.fromEntries(mailQueues.map((name) => [name, mailWorkers])),
    };
    this.#clock = new Role(this, 'Clock', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    });
    for (const row of Object.values<Trigger>(triggers)) {
      const made = makeFunction(this, row);
      if (row.source.kind === 'queue') {
        this.#consume(row.source, made);
      } else {
        this.#schedule(row, row.source, made);
      }
    }
  }

  #consume({ queue, batchSize }: QueueSource, consumer: LambdaFunction): void {
    consumer.addEventSource(
      new SqsEventSource(this.#queues[queue].queue, {
        batchSize,
        reportBatchItemFailures: true,
        maxConcurrency: this.#workers[queue] ?? WORKERS,
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

type ScheduleSource = Extract<TriggerSource, { kind: 'schedule' }>;
