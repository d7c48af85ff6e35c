import { describe, expect, test } from '@jest/globals';
import { alertsOfReport, type ReportFacts } from '../../../shared/alerts/report-alerts.ts';

const report: ReportFacts = {
  kind: 'dmarc',
  id: 'c5c71eff-bd6f-8575-a5ac-17ea4132975c',
  domain: 'example.org',
  reporter: 'Reporter',
  dateRangeBegin: '2026-02-28T00:00:00.000Z',
  dateRangeEnd: '2026-02-28T23:59:59.000Z',
  receivedAt: '2026-03-01T06:00:00.000Z',
  passed: 95,
  failed: 5,
  authenticated: true,
};

const types = (given: Partial<ReportFacts>) =>
  alertsOfReport({ ...report, ...given }).map(({ type }) => type);

describe('a report that was stored', () => {
  test.each([
    ['5 % of failures is not many', {}, false],
    ['more is', { passed: 94, failed: 6 }, true],
    ['of fewer than 10 messages nothing can be said', { passed: 0, failed: 9 }, false],
    ['of 10 it can', { passed: 9, failed: 1 }, true],
    ['no messages are no failure', { passed: 0, failed: 0 }, false],
    ['sessions of TLS are no messages', { kind: 'tls' as const, passed: 0, failed: 100 }, false],
  ])('%s', (_title, given, isMany) => {
    expect(types(given)).toEqual(isMany ? ['new_report', 'report_failure'] : ['new_report']);
  });

  test.each([
    ['the day', { receivedAt: '2026-03-02T00:00:00.000Z' }],
    ['the reporter', { reporter: 'Another' }],
    ['the kind', { kind: 'tls' as const }],
  ])('is an occasion of its own by %s', (_what, given) => {
    const occasion = (facts: ReportFacts) => alertsOfReport(facts)[0]?.occasion;
    expect(occasion({ ...report, ...given })).not.toBe(occasion(report));
  });

  test.each([
    ['another report', { id: 'other' }],
    ['another time of the day', { receivedAt: '2026-03-01T23:59:59.999Z' }],
    ['another spelling', { reporter: 'REPORTER' }],
  ])('is the same occasion for new_report by %s', (_what, given) => {
    expect(alertsOfReport({ ...report, ...given })[0]?.occasion).toBe(alertsOfReport(report)[0]?.occasion);
  });

  test('is told in words that a reporter cannot make', () => {
    const [alert] = alertsOfReport({ ...report, reporter: `\u202e${'x'.repeat(2000)}\n` });
    expect(alert?.message).not.toMatch(/[\p{C}\u202e\n]/u);
    expect(alert?.message.length).toBeLessThan(250);
    expect(alert?.occasion.length).toBeLessThan(100);
  });

  test('names its reporter in the letters of its own, and in metadata as it is stored', () => {
    const reporter = 'Österreichische Post\u200b 株式会社';
    const alerts = alertsOfReport({ ...report, reporter, passed: 80, failed: 20 });
    expect(alerts.map(({ metadata }) => metadata.reporter)).toEqual([reporter, reporter]);
    for (const { message } of alerts) expect(message).toContain('Österreichische Post\\u{200b} 株式会社');
  });

  test.each([true, false, null])('says where nothing proves who sent it: %s', (authenticated) => {
    const alerts = alertsOfReport({ ...report, passed: 80, failed: 20, authenticated });
    for (const { message, metadata } of alerts) {
      expect(metadata.authenticated).toBe(authenticated);
      expect(message.endsWith(' It is not proven who sent this report.')).toBe(authenticated !== true);
    }
  });

  test('is told with its numbers', () => {
    expect(alertsOfReport({ ...report, passed: 80, failed: 20 })[1]).toEqual({
      type: 'report_failure',
      severity: 'warning',
      title: 'DMARC failures for example.org',
      message: '20 of 100 messages (20.0 %) that Reporter saw failed DMARC.',
      metadata: {
        reportType: 'dmarc',
        reportId: report.id,
        reporter: 'Reporter',
        dateRangeBegin: report.dateRangeBegin,
        dateRangeEnd: report.dateRangeEnd,
        passed: 80,
        failed: 20,
        authenticated: true,
        failureRate: 20,
      },
      occasion: `report_failure#${report.id}`,
    });
  });
});
