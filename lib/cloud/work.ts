import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type Function as LambdaFunction, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { triggers } from '../../functions/triggers.ts';
import {
  eventsOf,
  type QueueName,
  type Trigger,
  type TriggerSource,
} from '../../shared/runtime/workers/trigger.ts';
import type { MakeFunction } from './function.ts';
import { mailQueues, type QueueSource, type WorkQueues } from './queues.ts';
import type { Settings } from './settings.ts';

/** The maximum age of an event that Lambda cannot deliver yet. */
const LONGEST_EVENT_AGE_SECONDS = 6 * 3600;

/** All background jobs: one function for each row of `functions/triggers.ts`, started by its queue or schedule. */
export class BackgroundJobs extends Construct {
  readonly #queues: WorkQueues;
  readonly #workers: Partial<Record<QueueName, number>>;
  readonly #otherWorkers: number;
  readonly #clock: Role;

  constructor(
    scope: Construct,
    id: string,
    queues: WorkQueues,
    makeFunction: MakeFunction,
    { checkWorkers, mailWorkers, notificationWorkers, otherWorkers }: Settings,
  ) {
    super(scope, id);
    this.#queues = queues;
    this.#workers = {
      checks: checkWorkers,
      notifications: notificationWorkers,
      digests: notificationWorkers,
      ...Object.fromEntries(mailQueues.map((name) => [name, mailWorkers])),
    };
    this.#otherWorkers = otherWorkers;
    this.#clock = new Role(this, 'Clock', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    });
    for (const row of Object.values<Trigger>(triggers)) {
      const made = makeFunction(this, row);
      if (row.source.kind === 'queue') {
        this.#consume(row.source, made);
        const own = `queue:${row.source.queue}`;
        if (row.uses.some((use) => use === own)) allowLoop(made);
      } else {
        this.#schedule(row, row.source, made);
      }
    }
  }

  #consume({ queue, batchSize, batchingSeconds }: QueueSource, consumer: LambdaFunction): void {
    consumer.addEventSource(
      new SqsEventSource(this.#queues[queue].queue, {
        batchSize,
        ...(batchingSeconds !== undefined && { maxBatchingWindow: Duration.seconds(batchingSeconds) }),
        reportBatchItemFailures: true,
        maxConcurrency: this.#workers[queue] ?? this.#otherWorkers,
      }),
    );
  }

  #schedule(row: Trigger, source: ScheduleSource, made: LambdaFunction): void {
    const { everySeconds } = source;
    // The next run covers what one run missed, so runs are neither retried nor delayed beyond the next one.
    const patience = {
      retryAttempts: 0,
      maxEventAge: Duration.seconds(Math.min(everySeconds, LONGEST_EVENT_AGE_SECONDS)),
    };
    made.configureAsyncInvoke(patience);
    this.#clock.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [made.functionArn] }),
    );
    for (const event of eventsOf(source)) {
      new Schedule(this, `${row.name}Schedule${event.part === 0 ? '' : event.part}`, {
        description: row.summary,
        schedule: ScheduleExpression.rate(Duration.seconds(everySeconds)),
        target: new LambdaInvoke(made, {
          ...patience,
          input: ScheduleTargetInput.fromObject(event),
          // By default, the target would also allow its role to invoke all versions of the function.
          role: this.#clock.withoutPolicyUpdates(),
        }),
      });
    }
  }
}

/**
 * Has a function go on however often it continues its work by a message to its own queue. By default, Lambda ends such a
 * chain after about 16 messages (AWS, "Use Lambda recursive loop detection to prevent infinite loops").
 */
function allowLoop({ node: { defaultChild } }: LambdaFunction): void {
  if (defaultChild instanceof CfnFunction) defaultChild.recursiveLoop = RecursiveLoop.ALLOW;
}

type ScheduleSource = Extract<TriggerSource, { kind: 'schedule' }>;
