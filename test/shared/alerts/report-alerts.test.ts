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

describe('a stored report', () => {
  test.each([
    ['a failure rate of 5 % raises no alert', {}, false],
    ['a higher rate raises one', { passed: 94, failed: 6 }, true],
    ['fewer than 10 messages are too few to judge', { passed: 0, failed: 9 }, false],
    ['10 messages are enough', { passed: 9, failed: 1 }, true],
    ['a report without messages has no failures', { passed: 0, failed: 0 }, false],
    ['one failed TLS session is enough', { kind: 'tls' as const, passed: 999, failed: 1 }, true],
    ['a TLS report without failed sessions raises none', { kind: 'tls' as const, failed: 0 }, false],
  ])('%s', (_title, given, isMany) => {
    expect(types(given)).toEqual(isMany ? ['new_report', 'report_failure'] : ['new_report']);
  });

  test.each([
    ['the day', { receivedAt: '2026-03-02T00:00:00.000Z' }],
    ['the reporter', { reporter: 'Another' }],
    ['the kind', { kind: 'tls' as const }],
  ])('gets a separate dedupe key for %s', (_what, given) => {
    const dedupeKey = (facts: ReportFacts) => alertsOfReport(facts)[0]?.dedupeKey;
    expect(dedupeKey({ ...report, ...given })).not.toBe(dedupeKey(report));
  });

  test('about failed TLS sessions raises one alert a day, which a forged report does not use up', () => {
    const facts = { ...report, kind: 'tls', passed: 97, failed: 3 } as const;
    const failures = (given: Partial<ReportFacts>) => alertsOfReport({ ...facts, ...given }).at(-1);
    expect(failures({})).toMatchObject({
      ...{ type: 'report_failure', severity: 'warning', title: 'TLS failures: example.org' },
      message: '3 of 100 sessions (3.0%) reported by Reporter could not use TLS as required.',
      metadata: { reportType: 'tls', failureRate: 3 },
    });
    const key = failures({})?.dedupeKey;
    expect(failures({ id: 'other', reporter: 'Another' })?.dedupeKey).toBe(key);
    expect(failures({ receivedAt: '2026-03-02T00:00:00.000Z' })?.dedupeKey).not.toBe(key);
    expect(failures({ authenticated: false })?.dedupeKey).not.toBe(key);
  });

  test.each([
    ['another report', { id: 'other' }],
    ['another time of the day', { receivedAt: '2026-03-01T23:59:59.999Z' }],
    ['another spelling of the reporter', { reporter: 'REPORTER' }],
  ])('keeps the dedupe key of new_report for %s', (_what, given) => {
    expect(alertsOfReport({ ...report, ...given })[0]?.dedupeKey).toBe(alertsOfReport(report)[0]?.dedupeKey);
  });

  test('has a message that a reporter cannot forge', () => {
    const [alert] = alertsOfReport({ ...report, reporter: `\u202e${'x'.repeat(2000)}\n` });
    expect(alert?.message).not.toMatch(/[\p{C}\u202e\n]/u);
    expect(alert?.message.length).toBeLessThan(250);
    expect(alert?.dedupeKey.length).toBeLessThan(100);
  });

  test('shows the reporter with escaped characters, and unchanged in the metadata', () => {
    const reporter = 'Österreichische Post\u200b 株式会社';
    const alerts = alertsOfReport({ ...report, reporter, passed: 80, failed: 20 });
    for (const { metadata } of alerts) expect(metadata).toMatchObject({ reporter });
    expect(alerts).toHaveLength(2);
    for (const { message } of alerts) expect(message).toContain('Österreichische Post\\u{200b} 株式会社');
  });

  test.each([true, false, null])('says if its sender is not authenticated: %s', (authenticated) => {
    const alerts = alertsOfReport({ ...report, passed: 80, failed: 20, authenticated });
    for (const { message, metadata } of alerts) {
      expect(metadata).toMatchObject({ authenticated });
      expect(message.endsWith(' The sender of this report was not authenticated.')).toBe(
        authenticated !== true,
      );
    }
  });

  test('has its counts in the message', () => {
    expect(alertsOfReport({ ...report, passed: 80, failed: 20 })[1]).toEqual({
      type: 'report_failure',
      severity: 'warning',
      title: 'DMARC failures: example.org',
      message: '20 of 100 messages (20.0%) reported by Reporter failed DMARC.',
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
      dedupeKey: `report_failure#${report.id}`,
    });
  });
});
