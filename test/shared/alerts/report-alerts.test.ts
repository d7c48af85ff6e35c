import { describe, expect, test } from '@jest/globals';
import { alertsOfReport, type ReportFacts } from '../../../shared/alerts/report-alerts.ts';
import { recorded } from '../../kit/recorded.ts';

const report: ReportFacts = {
  reportType: 'dmarc',
  reportId: 'c5c71eff-bd6f-8575-a5ac-17ea4132975c',
  domain: 'example.org',
  reporter: 'Reporter',
  dateRangeBegin: '2026-02-28T00:00:00.000Z',
  dateRangeEnd: '2026-02-28T23:59:59.000Z',
  receivedAt: '2026-03-01T06:00:00.000Z',
  passed: 95,
  failed: 5,
  authenticated: true,
  authenticatedDomain: 'reporter.example',
};

const types = (given: Partial<ReportFacts>) =>
  recorded(alertsOfReport({ ...report, ...given })).map(({ type }) => type);

describe('a stored report', () => {
  test.each([
    ['a DMARC report whose messages all fail', { passed: 0, failed: 1000 }, false],
    ['a TLS report with one failed session', { reportType: 'tls' as const, passed: 999, failed: 1 }, true],
    ['a TLS report without failed sessions', { reportType: 'tls' as const, failed: 0 }, false],
    [
      'a forged TLS report',
      { reportType: 'tls' as const, authenticated: false, authenticatedDomain: null },
      false,
    ],
    [
      'a TLS report whose sender is unknown',
      { reportType: 'tls' as const, authenticated: null, authenticatedDomain: null },
      false,
    ],
  ])('%s raises report_failure: %s', (_title, given, isFailure) => {
    expect(types(given)).toEqual(isFailure ? ['new_report', 'report_failure'] : ['new_report']);
  });

  const dedupeKey = (given: Partial<ReportFacts>) => alertsOfReport({ ...report, ...given })[0]?.dedupeKey;
  const unknown = { authenticated: false, authenticatedDomain: null };

  test.each([
    ['the authenticated domain', { authenticatedDomain: 'another.example' }],
    [
      'the name, if it states a domain but is not authenticated',
      { reporter: 'reporter.example', ...unknown },
    ],
    ['the kind', { reportType: 'tls' as const }],
  ])('gets a separate dedupe key of new_report for %s', (_what, given) => {
    expect(dedupeKey(given)).not.toBe(dedupeKey({}));
  });

  test.each([
    ['another report', { reportId: 'other' }],
    ['another day', { receivedAt: '2026-03-02T00:00:00.000Z' }],
    ['another name', { reporter: 'Another' }],
    ['a subdomain', { authenticatedDomain: 'dmarc.reporter.example' }],
  ])('keeps the dedupe key of new_report for %s', (_what, given) => {
    expect(dedupeKey(given)).toBe(dedupeKey({}));
  });

  test('of an unauthenticated sender has the name of its reporter in the dedupe key, in any case', () => {
    expect(dedupeKey({ ...unknown, reporter: 'REPORTER' })).toBe(dedupeKey(unknown));
    expect(dedupeKey({ ...unknown, reporter: 'Another' })).not.toBe(dedupeKey(unknown));
  });

  test('about failed TLS sessions raises one alert a day', () => {
    const facts = { ...report, reportType: 'tls', passed: 2, failed: 1 } as const;
    const failures = (given: Partial<ReportFacts>) => alertsOfReport({ ...facts, ...given }).at(-1);
    expect(failures({})).toMatchObject({
      message: '1 of 3 sessions (33.33 %) reported by Reporter could not use TLS as required.',
      metadata: { failureRate: 33.33 },
    });
    const key = failures({})?.dedupeKey;
    // It is stored, so other releases must make the same one.
    expect(key).toBe('report_failure#tls#2026-03-01#authenticated');
    const another = { reportId: 'other', reporter: 'Another', receivedAt: '2026-03-01T23:59:59.999Z' };
    expect(failures(another)?.dedupeKey).toBe(key);
    expect(failures({ receivedAt: '2026-03-02T00:00:00.000Z' })?.dedupeKey).not.toBe(key);
  });

  test('has a message that a reporter cannot forge', () => {
    const [alert] = alertsOfReport({ ...report, reporter: `\u202e${'x'.repeat(2000)}\n` });
    expect(alert?.message).not.toMatch(/[\p{C}\u202e\n]/u);
    expect(alert?.message.length).toBeLessThan(250);
    expect(alert?.dedupeKey.length).toBeLessThan(100);
  });

  test('shows the reporter with escaped characters, and unchanged in the metadata', () => {
    const reporter = 'Österreichische Post\u200b 株式会社';
    const alerts = alertsOfReport({ ...report, reportType: 'tls', reporter });
    for (const { metadata } of alerts) expect(metadata).toMatchObject({ reporter });
    expect(alerts).toHaveLength(2);
    for (const { message } of alerts) expect(message).toContain('Österreichische Post\\u{200b} 株式会社');
  });
});
