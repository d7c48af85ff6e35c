import { describe, expect, test } from '@jest/globals';
import { logLines } from '../../../shared/runtime/log-lines.ts';
import { type RecordOptions, record } from '../../../shared/runtime/metric.ts';

const told = { route: 'listDomains', statusClass: '2xx', requestMilliseconds: 12 } as const;
const rest = { requestId: 'r1', status: 200, organization: 'o1' } as const;
const line = { time: expect.any(String), level: 'info', message: 'request', ...told, ...rest };
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
  record('request', { ...told, ...rest }, options, (entry) => lines.push(entry));
  return lines;
}

describe('a line', () => {
  test('is a line of the log and nothing else where nobody makes metrics of it', () => {
    expect(written({ METRICS_NAMESPACE: '', LOG_LEVEL: 'info' })).toEqual([line]);
    expect(written({ METRICS_NAMESPACE: '', LOG_LEVEL: 'warn' })).toEqual([]);
  });

  test('is its metrics at the same time for CloudWatch', () => {
    expect(written({ METRICS_NAMESPACE: 'Service', LOG_LEVEL: 'info' })).toEqual([{ ...line, ...metrics }]);
  });

  test('leaves its metrics behind where the log is silent', () => {
    expect(written({ METRICS_NAMESPACE: 'Service', LOG_LEVEL: 'silent' })).toEqual([
      { message: 'request', ...told, ...metrics },
    ]);
  });

  test('that counts is one more of what it counts', () => {
    const lines: unknown[] = [];
    const options = { METRICS_NAMESPACE: 'Service', LOG_LEVEL: 'silent' } as const;
    const alert = { type: 'dns_change', severity: 'warning', domainId: 'd1' };
    record('alert', alert, options, (entry) => lines.push(entry));
    expect(lines).toEqual([expect.objectContaining({ type: 'dns_change', alerts: 1 })]);
  });

  test('without metrics is left out with its level', () => {
    const lines: unknown[] = [];
    const work = { trigger: 'checkDomain', records: 5, failed: 0 };
    record('work', work, { METRICS_NAMESPACE: 'Service', LOG_LEVEL: 'warn' }, (entry) => lines.push(entry));
    expect(lines).toEqual([]);
  });
});

test('metrics are told apart by nothing that has many values, or says who somebody is', () => {
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
