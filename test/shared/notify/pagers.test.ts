import { describe, expect, test } from '@jest/globals';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { PagerFormat } from '../../../shared/alerts/notification.ts';
import { pagerRequests, problemWithPager } from '../../../shared/notify/pagers.ts';
import { changeNotifications } from '../../../shared/operations/notifications/change-notifications.ts';
import { operatorFor } from '../../../shared/operations/operation.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';

const hostUrl = 'https://monitor.example.net';
const ROUTING_KEY = 'R0123456789abcdefghijklmnopqrstu';
const API_KEY = 'eb243592-faa2-4ba2-a551-1afdf565c889';
const urls: Readonly<Record<PagerFormat, string>> = {
  pagerduty: `https://events.pagerduty.com/v2/enqueue?routing_key=${ROUTING_KEY}`,
  opsgenie: `https://api.opsgenie.com/v2/alerts?apiKey=${API_KEY}`,
};

const requests = (format: PagerFormat, alerts: readonly Alert[]) =>
  pagerRequests(madeDelivery({ channel: 'webhook' }), alerts, {
    ...{ url: urls[format], format, hostUrl },
  }).map((request) => ({ ...request, body: JSON.parse(request.body) }));

describe('PagerDuty', () => {
  test('never gets more than its limits, or what hides text', () => {
    const host = `${'a'.repeat(60)}.`.repeat(4);
    const metadata = { host, previousIssuers: ['A'], newIssuers: ['B'] };
    const title = `\u202e${'x'.repeat(3000)}`;
    const [request] = requests('pagerduty', [
      storedAlert({ type: 'certificate_issuer_change', severity: 'info', title, metadata } as Partial<Alert>),
    ]);
    expect(request?.body.dedup_key.length).toBeLessThanOrEqual(255);
    expect(request?.body.payload.summary.length).toBeLessThanOrEqual(1024);
    expect(request?.body.payload.summary).toContain('\\u{202e}');
  });
});

describe('a change of settings', () => {
  const set = (webhook: object) => {
    const notifications = {
      get: async () => ({ mail: null, webhook: null, revision: 0, unsubscribeKey: null }),
      whole: async () => undefined,
      change: async () => true,
    } as unknown as Parameters<typeof changeNotifications>[2]['notifications'];
    const wanted = { threshold: 'warning', events: [], ...webhook } as never;
    return changeNotifications(
      operatorFor('default'),
      { mail: null, webhook: wanted },
      { notifications, ownDomains: [], allowPrivateAddresses: false },
    );
  };

  test.each(Object.entries(urls))('takes %s with the key in the URL', async (format, url) => {
    const events = ['attention.opened', 'attention.closed'];
    expect(await set({ format, url, events })).toMatchObject({ value: { webhook: { format } } });
  });

  test.each([
    ['pagerduty', 'https://events.pagerduty.com/v2/enqueue', [], 'webhook.url'],
    ['pagerduty', 'https://events.pagerduty.com/v2/enqueue?routing_key=short', [], 'webhook.url'],
    ['opsgenie', 'https://api.opsgenie.com/v2/alerts', [], 'webhook.url'],
    ['pagerduty', urls.pagerduty, ['report.received'], 'webhook.events'],
  ] as const)('refuses %s with %s and %j', async (format, url, events, path) => {
    expect(await set({ format, url, events })).toMatchObject({ problems: [{ path }] });
  });

  test('says which URL is needed', () => {
    expect(problemWithPager('https://x.example/', 'opsgenie')).toContain('apiKey=');
  });
});
