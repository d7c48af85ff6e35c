/** Alerts and deliveries as the store keeps them, built from a few values. */
import * as z from 'zod/mini';
import { type Alert, type AlertSeverity, alert, type ReportAlertDraft } from '../../shared/alerts/alert.ts';
import type { Delivery } from '../../shared/store/alerts/delivery.ts';

export const storedAlert = (given: Partial<Alert> = {}): Alert =>
  z.parse(alert, {
    id: '018f0000-0000-7000-8000-000000000001',
    domainId: '018f0000-0000-7000-8000-000000000002',
    domainName: 'example.org',
    type: 'score_threshold',
    severity: 'warning',
    title: 'Score below 70: example.org',
    message: 'The score is 60. The alert threshold is 70.',
    metadata: { threshold: 70, previousScore: 80, newScore: 60, direction: 'below' },
    read: false,
    createdAt: '2026-03-01T10:00:00.000Z',
    ...given,
  });

export const madeDelivery = (given: Partial<Delivery> = {}): Delivery => ({
  id: '018f0000-0000-7000-8000-000000000003',
  organization: 'default',
  channel: 'mail',
  kind: 'alerts',
  alerts: [],
  further: { info: 0, warning: 0, critical: 0 } satisfies Record<AlertSeverity, number>,
  events: [],
  createdAt: '2026-03-01T10:01:00.000Z',
  ...given,
});

/** The draft of an alert about a report, with the given title as its dedupe key. */
export const reportAlertDraft = (title: string, severity: AlertSeverity = 'info'): ReportAlertDraft => ({
  type: 'new_report',
  severity,
  title,
  message: 'Something happened.',
  metadata: {
    reportType: 'dmarc',
    reportId: '018f0000-0000-8000-8000-000000000009',
    reporter: 'Reporter',
    dateRangeBegin: '2026-02-28T00:00:00.000Z',
    dateRangeEnd: '2026-02-28T23:59:59.000Z',
    passed: 1,
    failed: 0,
  },
  dedupeKey: title,
});
