/** The log lines that handler wrappers write for operators, as they appear on standard output. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { routes } from '../../../../functions/routes.ts';
import { triggers } from '../../../../functions/triggers.ts';
import type { ReportAlertDraft } from '../../../../shared/alerts/alert.ts';
import { endpoint } from '../../../../shared/runtime/http/endpoint.ts';
import { reply } from '../../../../shared/runtime/http/reply.ts';
import { withAlertLog, withMonitorAlertLog } from '../../../../shared/runtime/logging/record-alerts.ts';
import { RetryLater, schedule, worker } from '../../../../shared/runtime/workers/worker.ts';
import type { AlertStore } from '../../../../shared/store/alerts/alerts.ts';
import type { MonitorStateStore } from '../../../../shared/store/check-runs/monitor-states.ts';
import { gatewayEvent, invocation } from '../../../kit/http.ts';

process.env.LOG_LEVEL = 'info';
process.env.METRICS_NAMESPACE = 'Service';

const write = process.stdout.write;
let lines: Record<string, unknown>[];

beforeEach(() => {
  lines = [];
  process.stdout.write = ((text: string) => lines.push(JSON.parse(text)) > 0) as typeof write;
});
afterEach(() => {
  process.stdout.write = write;
});

describe('an endpoint', () => {
  test('logs each request', async () => {
    await endpoint(
      routes.getOpenApi,
      () => undefined,
      async () => reply({}) as never,
    )(gatewayEvent(), invocation);
    expect(lines).toEqual([
      expect.objectContaining({
        ...{ message: 'request', route: 'getOpenApi', status: 200, statusClass: '2xx' },
        requestMilliseconds: expect.any(Number),
        _aws: expect.anything(),
      }),
    ]);
  });

  test('logs its own failure with the name of its component', async () => {
    await endpoint(
      routes.getOpenApi,
      () => undefined,
      async () => {
        throw new Error('broken');
      },
    )(gatewayEvent(), invocation);
    expect(lines).toEqual([
      expect.objectContaining({
        ...{ message: 'unforeseen', level: 'error', area: 'meta', route: 'getOpenApi', failures: 1 },
        error: expect.objectContaining({ message: 'broken' }),
      }),
      expect.objectContaining({ message: 'request', status: 500, statusClass: '5xx' }),
    ]);
  });
});

test('a schedule logs a failed run, which Lambda counts, and no other', async () => {
  const run = (turn: () => Promise<void>) =>
    schedule(triggers.resumeDeletions, () => undefined, turn)({}, invocation);
  await run(async () => undefined);
  expect(lines).toEqual([]);
  await expect(run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(lines).toEqual([
    {
      ...{ time: expect.any(String), level: 'error', message: 'turn failed' },
      ...{
        area: 'maintenance',
        trigger: 'resumeDeletions',
        error: expect.objectContaining({ message: 'broken' }),
      },
    },
  ]);
});

test('a worker logs each failed message, and the batch', async () => {
  const event = { Records: [{ messageId: 'm1', body: 'not json' }] } as unknown as SQSEvent;
  await worker(
    triggers.checkDomain,
    z.object({}),
    () => undefined,
    async () => undefined,
  )(event, invocation);
  expect(lines).toEqual([
    expect.objectContaining({
      ...{ message: 'work failed', area: 'monitoring', trigger: 'checkDomain', messageId: 'm1', failures: 1 },
      error: expect.objectContaining({ message: 'the message is not JSON' }),
    }),
    expect.objectContaining({ message: 'work', trigger: 'checkDomain', records: 1, failed: 1 }),
  ]);
});

test('a message that is returned for a retry is not logged as a failure', async () => {
  const record = { messageId: 'm1', body: '{}', receiptHandle: 'r1', attributes: {} };
  await worker(
    triggers.deliverNotification,
    z.object({}),
    () => undefined,
    async () => {
      throw new RetryLater('not yet');
    },
  )({ Records: [record] } as unknown as SQSEvent, invocation);
  expect(lines).toEqual([expect.objectContaining({ message: 'work', records: 1, failed: 1 })]);
});

describe('an alert', () => {
  const domain = { id: 'd1', organization: 'o1', domain: 'example.org' };
  const draft = { type: 'new_report', severity: 'info' } as ReportAlertDraft;
  const raised = expect.objectContaining({ message: 'alert', type: 'new_report', alerts: 1, domainId: 'd1' });

  test.each([
    [true, [raised]],
    [false, []],
  ])('about a report is logged if it was raised: %s', async (isRaised, logged) => {
    const made = { reads: [], writes: () => [], raised: () => (isRaised ? [draft] : []) };
    const alerts = { alongsideReport: () => made } as unknown as AlertStore;
    const quota = { authClass: 'unauthenticated', limit: 1 } as const;
    const how = { day: '2026-01-01', quota };
    withAlertLog(alerts).alongsideReport(domain, [draft], how, new Date()).raised();
    expect(lines).toEqual(logged);
  });

  test.each([
    ['kept', [raised, raised]],
    ['conflict', []],
    ['gone', []],
  ] as const)('of a check run is logged if it was stored: %s', async (outcome, logged) => {
    const monitorStates = { keep: async () => outcome } as unknown as MonitorStateStore;
    await withMonitorAlertLog(monitorStates).keep(
      domain,
      { state: {}, revision: 0 } as never,
      [draft, draft],
      new Date(),
    );
    expect(lines).toEqual(logged);
  });
});
