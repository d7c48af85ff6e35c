import { describe, expect, test } from '@jest/globals';
import type { PagerFormat } from '../../../shared/alerts/notification.ts';
import { changeNotifications } from '../../../shared/operations/notifications/change-notifications.ts';
import { operatorFor } from '../../../shared/operations/operation.ts';

const ROUTING_KEY = 'R0123456789abcdefghijklmnopqrstu';
const API_KEY = 'eb243592-faa2-4ba2-a551-1afdf565c889';
const urls: Readonly<Record<PagerFormat, string>> = {
  pagerduty: `https://events.pagerduty.com/v2/enqueue?routing_key=${ROUTING_KEY}`,
  opsgenie: `https://api.opsgenie.com/v2/alerts?apiKey=${API_KEY}`,
};

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

  test.each([
    ['pagerduty', 'https://events.pagerduty.com/v2/enqueue', [], 'webhook.url'],
    ['pagerduty', 'https://events.pagerduty.com/v2/enqueue?routing_key=short', [], 'webhook.url'],
    ['opsgenie', 'https://api.opsgenie.com/v2/alerts', [], 'webhook.url'],
    ['pagerduty', urls.pagerduty, ['report.received'], 'webhook.events'],
  ] as const)('refuses %s with %s and %j', async (format, url, events, path) => {
    expect(await set({ format, url, events })).toMatchObject({ problems: [{ path }] });
  });
});
