import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { webhookRequest } from '../../../shared/notify/webhook.ts';
import type { Delivery } from '../../../shared/store/alerts/delivery.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';

const receiver = {
  secret: 'whsec_test',
  hostUrl: 'https://monitor.acme.org',
  now: new Date('2026-03-01T10:02:03.456Z'),
};
const bodyOf = (format: 'slack' | 'teams', delivery: Delivery, alerts: readonly Alert[]) =>
  JSON.parse(webhookRequest(delivery, alerts, { ...receiver, format }).body);

/** What a reporter or a DNS record can put into an alert. */
const hostile =
  '<!channel> <https://evil.example|login> [login](https://evil.example) <at>All</at> **b** & \u202e';
const alert = storedAlert({ title: `Report from ${hostile}`, message: hostile });
const received = {
  id: '018f0000-0000-7000-8000-000000000004',
  type: 'report.received',
  domainId: alert.domainId,
  domainName: 'example.org',
  createdAt: '2026-03-01T10:00:00.000Z',
  reportType: 'dmarc',
  reportId: '018f0000-0000-8000-8000-000000000009',
  reporter: hostile,
  dateRangeBegin: '2026-02-28T00:00:00.000Z',
  dateRangeEnd: '2026-02-28T23:59:59.000Z',
  passed: 12,
  failed: 3,
} as const;
const delivery = madeDelivery({ channel: 'webhook', events: [received] });

describe('a message for Slack', () => {
  const message = bodyOf('slack', delivery, [alert]);

  test('has no mention, link or entity of others', () => {
    const text = JSON.stringify(message);
    expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    expect(text).toContain('&lt;!channel&gt; &lt;https://evil.example|login&gt;');
    expect(text).not.toContain('\u202e');
  });
});

describe('a message for Microsoft Teams', () => {
  const message = bodyOf('teams', delivery, [alert]);

  test('is an Adaptive Card of runs of text, in which Markdown is not rendered', () => {
    const [{ contentType, content }, ...others] = message.attachments;
    expect([message.type, contentType, content.type, others]).toEqual([
      ...['message', 'application/vnd.microsoft.card.adaptive', 'AdaptiveCard', []],
    ]);
    expect(content).not.toHaveProperty('msteams');
    for (const block of content.body) {
      expect(block).toMatchObject({ type: 'RichTextBlock', inlines: [{ type: 'TextRun' }] });
      expect(block.inlines).toHaveLength(1);
    }
    const texts = content.body.map(({ inlines }: { inlines: { text: string }[] }) => inlines[0]?.text);
    expect(texts).toContain('example.org, 1 Mar 2026, 10:00 UTC');
    expect(texts.join(' ')).not.toContain('\u202e');
  });
});

test.each(['slack', 'teams'] as const)('a message for %s stays within its limits', (format) => {
  const message = 'ü'.repeat(5_000);
  const alerts = Array.from({ length: 50 }, () =>
    storedAlert({ title: message, message, domainId: randomUUID() }),
  );
  const body = JSON.stringify(bodyOf(format, delivery, alerts));
  // Teams accepts 28 KB; Slack 50 blocks.
  expect(Buffer.byteLength(body)).toBeLessThan(28 * 1024);
  expect(body).toContain('36 more: see https://monitor.acme.org/console/alerts');
});
