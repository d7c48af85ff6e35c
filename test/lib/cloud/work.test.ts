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

test('every queue has two concurrent workers in an account that may be new', () => {
  for (const lambdaConcurrency of [0, 10, 99])
    expect(new Set(Object.values(workersOf(deployed({ lambdaConcurrency }))))).toEqual(new Set([2]));
});

test('every queue has five concurrent workers in other accounts, that of check runs ten', () => {
  const { checks, ...others } = workersOf(deployed({ lambdaConcurrency: 100 }));
  expect(checks).toBe(10);
  expect(new Set(Object.values(others))).toEqual(new Set([5]));
});

test('checkWorkers sets the concurrent workers for check runs only', () => {
  const { checks, ...others } = workersOf(deployed({ checkWorkers: '40' }));
  expect(checks).toBe(40);
  expect(new Set(Object.values(others))).toEqual(new Set([2]));
});

test('mailWorkers sets the concurrent workers for mail only', () => {
  const { checks: _, arrivals, reports, tester, ...others } = workersOf(deployed({ mailWorkers: 150 }));
  expect([arrivals, reports, tester]).toEqual([150, 150, 150]);
  expect(new Set(Object.values(others))).toEqual(new Set([2]));
});

test('notificationWorkers sets the concurrent workers for alerts, and as many for digests', () => {
  const { checks: _, notifications, digests, ...others } = workersOf(deployed({ notificationWorkers: 40 }));
  expect([notifications, digests]).toEqual([40, 40]);
  expect(new Set(Object.values(others))).toEqual(new Set([2]));
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
