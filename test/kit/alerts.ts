/** Alerts and deliveries as the store keeps them, built from a few values. */
import type { AlertSeverity } from '../../shared/alerts/alert.ts';
import type { Alert } from '../../shared/store/alerts/alerts.ts';
import type { Delivery } from '../../shared/store/alerts/delivery.ts';

export const storedAlert = (given: Partial<Alert> = {}): Alert => ({
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
  createdAt: '2026-03-01T10:01:00.000Z',
  ...given,
});
