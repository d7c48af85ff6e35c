import { expect, test } from '@jest/globals';
import { dmarcRecordsCsv, showDmarcReport } from '../../../shared/api/reports.ts';
import { joined, jsonBody } from '../../../shared/runtime/http/body.ts';
import { dmarcReport, row } from '../../kit/reports.ts';

const stored = {
  ...dmarcReport('2026-03-01').header,
  ...{ id: '00000000-0000-4000-8000-000000000000', receivedAt: '2026-03-02T00:00:00.000Z' },
  ...{ authenticated: true, warnings: 0, totalCount: 1, passCount: 1, failCount: 0, recordCount: 1 },
};

test('the disposition pass of RFC 9990 is shown as none and as reported', () => {
  const passed = row({ disposition: 'none', reportedDisposition: 'pass' });
  const shown = joined(jsonBody(showDmarcReport(stored, [passed])), 10_000) ?? '';
  expect(JSON.parse(shown).records).toMatchObject([{ disposition: 'none', reportedDisposition: 'pass' }]);
  const [head = '', line = ''] = dmarcRecordsCsv([{ report: stored, rows: [passed] }]);
  const cell = (name: string) => line.trim().split(',')[head.trim().split(',').indexOf(name)];
  expect([cell('disposition'), cell('reportedDisposition')]).toEqual(['none', 'pass']);
});
