import { describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import type { Trigger } from '../../../shared/runtime/trigger.ts';
import { ComesAgain, worker } from '../../../shared/runtime/worker.ts';

process.env.LOG_LEVEL = 'silent';

const trigger: Trigger = {
  name: 'work',
  handler: 'work',
  source: { kind: 'queue', queue: 'deletions', batchSize: 10, maxReceiveCount: 5 },
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
  test('handles every record, and sends back only those that failed', async () => {
    const seen: number[] = [];
    const handler = worker(
      trigger,
      () => seen,
      async ({ n }: { n: number }, parts) => {
        if (n === 2) throw new Error('no');
        parts.push(n);
      },
    );
    expect(await handler(batch('{"n":1}', '{"n":2}', '{"n":3}'), context)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }],
    });
    expect(seen).toEqual([1, 3]);
  });

  test('tells a handler how often its message came, and takes back what is to come again', async () => {
    const told: unknown[] = [];
    const handler = worker(
      trigger,
      () => told,
      async (_message, parts, { attempt, receipt }) => {
        parts.push([attempt(), receipt]);
        throw new ComesAgain('not yet');
      },
    );
    const attributes = { ApproximateReceiveCount: '3' };
    const record = { messageId: 'm0', body: '{}', receiptHandle: 'r7', attributes };
    expect(await handler({ Records: [record] } as unknown as SQSEvent, context)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm0' }],
    });
    expect(told).toEqual([[3, 'r7']]);
  });

  test('sends back a message that is not JSON, so that it ends in the dead-letter queue and not in the air', async () => {
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
