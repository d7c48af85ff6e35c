/** One ID from a request, through a queue and its worker, to what they store and log. */
import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { triggers } from '../../../functions/triggers.ts';
import { correlated, correlationId } from '../../../shared/network/correlation.ts';
import { record } from '../../../shared/runtime/logging/metric.ts';
import { correlationOf, messageBody } from '../../../shared/runtime/workers/message.ts';
import { worker } from '../../../shared/runtime/workers/worker.ts';
import { pendingWrites } from '../../../shared/store/alerts/pending.ts';

const sqs = (body: string) => ({
  Records: [{ body, messageId: 'message', receiptHandle: 'r', attributes: {} }],
});

/** The ID under which a worker handles a message. */
async function idInWorker(body: string): Promise<string | undefined> {
  let seen: string | undefined;
  const handle = worker(
    triggers.drainDeletedDomain,
    z.object({ domainId: z.string() }),
    () => ({}),
    async () => {
      await Promise.resolve();
      seen = correlationId();
    },
  );
  await handle(sqs(body) as never, { getRemainingTimeInMillis: () => 1 } as never);
  return seen;
}

test('a message passes the ID of its sender on to its worker', async () => {
  const body = await correlated('request-1=', async () => messageBody({ domainId: 'd' }));
  expect(correlationOf(body)).toBe('request-1=');
  expect(await idInWorker(body)).toBe('request-1=');
});

test.each([
  '{"domainId":"d"}',
  '{"domainId":"d","correlation":"a b\\n"}',
  '{"domainId":"d","correlation":7}',
])('a message without a usable ID has its own: %s', async (body) => {
  expect(await idInWorker(body)).toBe('message');
});

test('log lines and notifications have the ID, and none outside of any work', () => {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = () =>
    record('deletion', { domainId: 'd' }, { METRICS_NAMESPACE: '', LOG_LEVEL: 'info' }, (line) =>
      lines.push(line),
    );
  const subject = { organization: 'o', domainId: 'd', alert: 'a', severity: 'info' } as const;
  const due = { channel: 'mail', kind: 'alerts', at: new Date(0) } as const;
  const pending = correlated('request-2', () => {
    log();
    return pendingWrites(subject, [due]);
  });
  log();
  expect(lines.map(({ correlation }) => correlation)).toEqual(['request-2', undefined]);
  expect(pending).toMatchObject([{ Put: { Item: { correlation: 'request-2' } } }]);
});
