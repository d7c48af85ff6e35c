import { describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import type { Trigger } from '../../../../shared/runtime/workers/trigger.ts';
import { RetryLater, worker } from '../../../../shared/runtime/workers/worker.ts';

process.env.LOG_LEVEL = 'silent';

const trigger: Trigger = {
  name: 'work',
  handler: 'work',
  source: { kind: 'queue', queue: 'deletions', batchSize: 10, places: 1, maxReceiveCount: 5 },
  summary: '',
  errorImpact: '',
  timeoutSeconds: 1,
  memoryMegabytes: 128,
  uses: [],
};

const batch = (...bodies: string[]) =>
  ({ Records: bodies.map((body, at) => ({ messageId: `m${at}`, body })) }) as unknown as SQSEvent;

const context = { getRemainingTimeInMillis: () => 1000 } as Context;

describe('a worker', () => {
  test('handles every record, and returns only those that failed', async () => {
    const seen: number[] = [];
    const handler = worker(
      trigger,
      () => seen,
      async ({ n }: { n: number }, deps) => {
        if (n === 2) throw new Error('no');
        deps.push(n);
      },
    );
    expect(await handler(batch('{"n":1}', '{"n":2}', '{"n":3}'), context)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }],
    });
    expect(seen).toEqual([1, 3]);
  });

  test('passes the receive count to the handler, and returns messages for a retry', async () => {
    const calls: unknown[] = [];
    const handler = worker(
      trigger,
      () => calls,
      async (_message, deps, { attempt, receipt }) => {
        deps.push([attempt(), receipt]);
        throw new RetryLater('not yet');
      },
    );
    const attributes = { ApproximateReceiveCount: '3' };
    const record = { messageId: 'm0', body: '{}', receiptHandle: 'r7', attributes };
    expect(await handler({ Records: [record] } as unknown as SQSEvent, context)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm0' }],
    });
    expect(calls).toEqual([[3, 'r7']]);
  });

  test('returns a message that is not JSON, so that it ends in the dead-letter queue', async () => {
    const handler = worker(
      trigger,
      () => undefined,
      async () => undefined,
    );
    expect(await handler(batch('not json'), context)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm0' }],
    });
  });
});
