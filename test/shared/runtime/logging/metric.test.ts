import { describe, expect, test } from '@jest/globals';
import { logLines } from '../../../../shared/runtime/logging/log-lines.ts';
import { type RecordOptions, record } from '../../../../shared/runtime/logging/metric.ts';

const dimensions = { route: 'listDomains', statusClass: '2xx', requestMilliseconds: 12 } as const;
const rest = { requestId: 'r1', status: 200, organization: 'o1', clientAddress: '192.0.2.1' } as const;
const line = { time: expect.any(String), level: 'info', message: 'request', ...dimensions, ...rest };
const metrics = {
  _aws: {
    Timestamp: expect.any(Number),
    CloudWatchMetrics: [
      {
        Namespace: 'Service',
        Dimensions: [['route', 'statusClass']],
        Metrics: [{ Name: 'requestMilliseconds', Unit: 'Milliseconds' }],
      },
    ],
  },
};

function written(options: RecordOptions): unknown[] {
  const lines: unknown[] = [];
  record('request', { ...dimensions, ...rest }, options, (entry) => lines.push(entry));
  return lines;
}

describe('a log line', () => {
  test('has no metric metadata without a metrics namespace', () => {
    expect(written({ METRICS_NAMESPACE: '', LOG_LEVEL: 'info' })).toEqual([line]);
    expect(written({ METRICS_NAMESPACE: '', LOG_LEVEL: 'warn' })).toEqual([]);
  });

  test('carries its metrics for CloudWatch', () => {
    expect(written({ METRICS_NAMESPACE: 'Service', LOG_LEVEL: 'info' })).toEqual([{ ...line, ...metrics }]);
  });

  test('keeps its metrics if its log level is disabled', () => {
    expect(written({ METRICS_NAMESPACE: 'Service', LOG_LEVEL: 'silent' })).toEqual([
      { message: 'request', ...dimensions, ...metrics },
    ]);
  });

  test('that counts adds one to its metric', () => {
    const lines: unknown[] = [];
    const options = { METRICS_NAMESPACE: 'Service', LOG_LEVEL: 'silent' } as const;
    const alert = { type: 'dns_change', severity: 'warning', domainId: 'd1' };
    record('alert', alert, options, (entry) => lines.push(entry));
    expect(lines).toEqual([expect.objectContaining({ type: 'dns_change', alerts: 1 })]);
  });

  test('without metrics is omitted if its log level is disabled', () => {
    const lines: unknown[] = [];
    const work = { trigger: 'checkDomain', records: 5, failed: 0 };
    record('work', work, { METRICS_NAMESPACE: 'Service', LOG_LEVEL: 'warn' }, (entry) => lines.push(entry));
    expect(lines).toEqual([]);
  });
});

test('metric dimensions never have many values or identify anyone', () => {
  const rows = Object.values(logLines).flatMap((row) => ('by' in row ? [...row.by] : []));
  expect([...new Set(rows)].toSorted()).toEqual([
    'area',
    'channel',
    'inbound',
    'outcome',
    'result',
    'route',
    'statusClass',
    'type',
  ]);
});
