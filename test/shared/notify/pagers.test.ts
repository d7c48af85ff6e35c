import { describe, expect, test } from '@jest/globals';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Event } from '../../../shared/alerts/event.ts';
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

const below = storedAlert({ severity: 'warning' });
const above = storedAlert({
  id: '018f0000-0000-7000-8000-000000000009',
  severity: 'info',
  title: 'Score no longer below 70: example.org',
  metadata: { threshold: 70, previousScore: 60, newScore: 80, direction: 'above' },
  createdAt: '2026-03-02T10:00:00.000Z',
} as Partial<Alert>);

const change = (severity: Alert['severity'], check: string, createdAt: string) =>
  storedAlert({
    ...({ type: 'dns_change', severity, title: `${check} changed`, createdAt } as Partial<Alert>),
    metadata: {
      ...{ check, previousState: 'pass', newState: 'fail', recordsAdded: [], recordsRemoved: [] },
      ...{ findingsAdded: [], findingsRemoved: [], omitted: 0 },
    },
  } as Partial<Alert>);

const item = (type: 'attention.opened' | 'attention.closed', at: string): Event => ({
  type,
  id: '018f0000-0000-7000-8000-00000000000a',
  createdAt: at,
  ...{ domainId: below.domainId, domainName: 'example.org' },
  attentionId: `${below.domainId}.check-failing`,
  kind: 'check-failing',
  severity: 'critical',
  since: at,
  title: 'Checks of example.org found errors: SPF',
  detail: 'The page shows each error with its fix.',
});

const requests = (format: PagerFormat, alerts: readonly Alert[], events: readonly Event[] = []) =>
  pagerRequests(madeDelivery({ channel: 'webhook', events: [...events] }), alerts, {
    ...{ url: urls[format], format, hostUrl },
  }).map((request) => ({ ...request, body: JSON.parse(request.body) }));

describe('PagerDuty', () => {
  test('gets an alert as a trigger, with the routing key in the body and not in the URL', () => {
    const [request, ...others] = requests('pagerduty', [below]);
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      url: 'https://events.pagerduty.com/v2/enqueue',
      headers: { 'Content-Type': 'application/json' },
      body: {
        routing_key: ROUTING_KEY,
        event_action: 'trigger',
        dedup_key: `${below.domainId}/score_threshold/`,
        payload: {
          summary: 'Score below 70: example.org',
          source: 'example.org',
          severity: 'warning',
          timestamp: below.createdAt,
          class: 'score_threshold',
          custom_details: { details: expect.arrayContaining([below.message]) },
        },
        links: [{ href: expect.stringContaining(hostUrl), text: expect.any(String) }],
        client_url: hostUrl,
      },
    });
  });

  test('gets the end of an alert as a resolve with the same key', () => {
    const [request] = requests('pagerduty', [above]);
    expect(request?.body).toEqual({
      ...{ routing_key: ROUTING_KEY, event_action: 'resolve' },
      dedup_key: `${below.domainId}/score_threshold/`,
    });
  });

  test('gets one event for each incident of a delivery, by the latest alert about it', () => {
    const alerts = [
      ...[above, below],
      change('critical', 'spf', '2026-03-01T10:00:00.000Z'),
      change('warning', 'spf', '2026-03-01T12:00:00.000Z'),
      change('info', 'mx', '2026-03-01T11:00:00.000Z'),
    ];
    const actions = requests('pagerduty', alerts).map(({ body }) => [
      ...[body.dedup_key.split('/').slice(1).join('/'), body.event_action, body.payload?.severity],
    ]);
    expect(actions.toSorted()).toEqual([
      ['dns_change/mx', 'resolve', undefined],
      ['dns_change/spf', 'trigger', 'warning'],
      ['score_threshold/', 'resolve', undefined],
    ]);
  });

  test.each([
    ['attention.opened', 'trigger'],
    ['attention.closed', 'resolve'],
  ] as const)('gets %s as a %s', (type, action) => {
    const [request] = requests('pagerduty', [], [item(type, below.createdAt)]);
    expect(request?.body).toMatchObject({
      event_action: action,
      dedup_key: `attention/${below.domainId}.check-failing`,
    });
  });

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

describe('Opsgenie', () => {
  test('gets an alert with an alias, with the key in a header and not in the URL', () => {
    expect(requests('opsgenie', [below])).toMatchObject([
      {
        url: 'https://api.opsgenie.com/v2/alerts',
        headers: { Authorization: `GenieKey ${API_KEY}` },
        body: {
          message: 'Score below 70: example.org',
          alias: `${below.domainId}/score_threshold/`,
          entity: 'example.org',
          priority: 'P3',
          tags: ['score_threshold'],
        },
      },
    ]);
  });

  test('closes the alert with that alias when it ends', () => {
    const alias = encodeURIComponent(`${below.domainId}/score_threshold/`);
    const [request] = requests('opsgenie', [above]);
    expect(request?.url).toBe(`https://api.opsgenie.com/v2/alerts/${alias}/close?identifierType=alias`);
    expect(request?.headers.Authorization).toBe(`GenieKey ${API_KEY}`);
    expect(request?.body).toEqual({
      ...{ source: expect.any(String), note: 'Score no longer below 70: example.org' },
    });
  });

  test.each([
    ['critical', 'P1'],
    ['warning', 'P3'],
  ] as const)('gets %s as %s', (severity, priority) => {
    const [request] = requests('opsgenie', [change(severity, 'spf', below.createdAt)]);
    expect(request?.body).toMatchObject({ priority });
  });

  test('gets messages of at most 130 characters', () => {
    const [request] = requests('opsgenie', [storedAlert({ title: 'x'.repeat(500) })]);
    expect(request?.body.message).toHaveLength(130);
  });
});

test.each(['pagerduty', 'opsgenie'] as const)('%s gets a test as an incident of its own', (format) => {
  const delivery = madeDelivery({ channel: 'webhook', kind: 'test' });
  const [request] = pagerRequests(delivery, [], { url: urls[format], format, hostUrl });
  expect(request?.body).toContain(`test/${delivery.id}`);
  expect(request?.body).toContain('Test notification');
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
