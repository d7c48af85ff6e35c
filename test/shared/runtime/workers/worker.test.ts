import { describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
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
      z.object({ n: z.number() }),
      () => seen,
      async ({ n }, deps) => {
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
      z.object({}),
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

  test('returns a message that does not match its schema, so that it ends in the dead-letter queue', async () => {
    const handled: unknown[] = [];
    const handler = worker(
      trigger,
      z.object({ n: z.number() }),
      () => handled,
      async (message, deps) => {
        deps.push(message);
      },
    );
    const bodies = ['not json', '{"n":"secret"}', '{"n":4,"further":true}', 'null', '[]'];
    expect(await handler(batch(...bodies), context)).toEqual({
      batchItemFailures: ['m0', 'm1', 'm3', 'm4'].map((itemIdentifier) => ({ itemIdentifier })),
    });
    expect(handled).toEqual([{ n: 4 }]);
  });
});
