import { expect, test } from '@jest/globals';
import { countMetric } from '../../../shared/runtime/metric.ts';

test('a count is one line that CloudWatch makes a metric of, by every dimension that it declares', () => {
  const lines: string[] = [];
  countMetric('ReportMails', { outcome: 'accepted' }, new Date(1000), (line) => lines.push(line));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\n]*\n$/);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    _aws: {
      Timestamp: 1000,
      CloudWatchMetrics: [
        {
          Namespace: 'EmailDomainSecurity',
          Dimensions: [['outcome']],
          Metrics: [{ Name: 'ReportMails', Unit: 'Count' }],
        },
      ],
    },
    outcome: 'accepted',
    ReportMails: 1,
  });
});
