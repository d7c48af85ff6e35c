import { expect, test } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { triggers } from '../../../functions/triggers.ts';
import { readSettings } from '../../../lib/cloud/config.ts';
import type { MakeFunction } from '../../../lib/cloud/function.ts';
import { makeQueue, type WorkQueues } from '../../../lib/cloud/queues.ts';
import { BackgroundJobs } from '../../../lib/cloud/work.ts';
import { eventsOf, type QueueName, type Trigger } from '../../../shared/runtime/workers/trigger.ts';
import { Deployed } from './deployed.ts';

process.env.CDK_VALIDATION = 'false';

const queueRows = Object.values<Trigger>(triggers).flatMap(({ source, ...row }) =>
  source.kind === 'queue' ? [{ ...row, queue: source.queue }] : [],
);

/** Deploys the background work with these settings; its functions have no code. */
function deployed(context: Record<string, unknown>): Deployed {
  const app = new App();
  const stack = new Stack(app, 'stack');
  const queues = Object.fromEntries(
    queueRows.map(({ queue }) => [queue, makeQueue(stack, queue, undefined)] as const),
  ) as Record<QueueName, WorkQueues[QueueName]>;
  const makeFunction: MakeFunction = (scope, { name, summary, timeoutSeconds }) =>
    new LambdaFunction(scope, name, {
      ...{ description: summary, runtime: Runtime.NODEJS_24_X, handler: 'index.handler' },
      code: Code.fromInline('export {}'),
      timeout: Duration.seconds(timeoutSeconds),
    });
  const needed = { reportsDomain: 'reports.acme.org', testerDomain: 'tester.acme.org' };
  new BackgroundJobs(stack, 'Work', queues, makeFunction, readSettings({ ...needed, ...context }));
  return new Deployed(app.synth());
}

const workersOf = (work: Deployed) =>
  Object.fromEntries(
    queueRows.map(({ queue, summary }) => {
      const { ScalingConfig } = work.work(summary).mapping;
      return [queue, (ScalingConfig as { MaximumConcurrency: number }).MaximumConcurrency];
    }),
  );

const five = { lambdaConcurrency: 100 };
const mail = { arrivals: 150, reports: 150, tester: 150 };

test.each<[what: string, given: object, all: number, but: object]>([
  ['two in an account that may be new', {}, 2, {}],
  ['two in a new account', { lambdaConcurrency: 10 }, 2, {}],
  ['two below 100', { lambdaConcurrency: 99 }, 2, {}],
  ['five in other accounts, and ten for check runs', five, 5, { checks: 10 }],
  ['checkWorkers for check runs only', { checkWorkers: '40' }, 2, { checks: 40 }],
  ['mailWorkers for mail only', { mailWorkers: 150 }, 2, mail],
  [
    'notificationWorkers for alerts, and as many for digests',
    { notificationWorkers: 40 },
    2,
    { notifications: 40, digests: 40 },
  ],
])('each queue has concurrent workers: %s (%j)', (_what, given, all, but) => {
  const usual = Object.fromEntries(queueRows.map(({ queue }) => [queue, all]));
  expect(workersOf(deployed({ ...given }))).toEqual({ ...usual, ...but });
});

test('only functions that send messages to their own queue may go on forever', () => {
  const work = deployed({});
  const allowed = work.all('AWS::Lambda::Function').filter(({ RecursiveLoop }) => RecursiveLoop === 'Allow');
  const queueOf = new Map(queueRows.map(({ summary, queue }) => [summary, queue]));
  expect(allowed.map(({ Description }) => queueOf.get(String(Description))).toSorted()).toEqual([
    'checks',
    'deletions',
    'mailboxes',
    'summaries',
  ]);
});

test('a schedule with parts invokes its function once for each part', () => {
  const work = deployed({});
  const { summary, source } = triggers.gatherDigests;
  const inputs = work
    .all('AWS::Scheduler::Schedule')
    .flatMap(({ Description, Target }) =>
      Description === summary ? [JSON.parse((Target as { Input: string }).Input)] : [],
    );
  expect(inputs).toEqual(eventsOf(source));
  expect(inputs).toHaveLength(source.parts);
});
