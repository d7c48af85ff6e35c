import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { aboutNothing } from '../../../shared/attention/kinds.ts';
import { digestOf } from '../../../shared/notify/digest.ts';
import type { DigestFacts } from '../../../shared/notify/digest-facts.ts';
import { digestMail } from '../../../shared/notify/digest-mail.ts';
import type { AttentionItem } from '../../../shared/store/attention-items.ts';
import { storedAlert } from '../../kit/alerts.ts';
import { hasChromium, launchChromium, openTab } from '../../kit/browser.ts';

const setting = {
  often: 'weekly',
  hostUrl: 'https://monitor.acme.org',
  unsubscribeUrl: 'https://monitor.acme.org/unsubscribe/org/token',
} as const;

const quiet: DigestFacts = {
  period: { since: '2026-02-23T05:55:00.000Z', until: '2026-03-02T05:55:00.000Z' },
  attention: { items: [], hasMore: false },
  alerts: { alerts: [], hasMore: false },
  week: { from: '2026-02-22', to: '2026-02-28', messages: 12_345, passRate: 99.1 },
  weekBefore: { from: '2026-02-15', to: '2026-02-21', messages: 11_000, passRate: 98.75 },
  newReporters: [],
  silentReporters: [],
};

const item: AttentionItem = {
  kind: 'ownership-unproven',
  severity: 'warning',
  domainId: '018f0000-0000-7000-8000-000000000002',
  domain: 'example.org',
  channel: null,
  mailbox: null,
  about: aboutNothing,
  since: '2026-01-29T08:00:00.000Z',
  putOffUntil: null,
  note: null,
  changedAt: null,
};

const idAt = (n: number) => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const spfBroke = (n: number) =>
  storedAlert({
    ...{ id: idAt(n), type: 'dns_change', severity: n === 1 ? 'critical' : 'warning' },
    ...{ title: `SPF change ${n}: example.org`, createdAt: `2026-02-2${n}T10:00:00.000Z` },
    metadata: {
      ...{ check: 'spf', previousState: 'pass', newState: 'fail', recordsAdded: [], recordsRemoved: [] },
      ...{ findingsAdded: [], findingsRemoved: [], omitted: 0 },
    },
  });

const newReporter = (n: number, reporter: string) =>
  storedAlert({
    ...{ id: idAt(n), type: 'new_report', severity: 'info', title: `New DMARC report from ${reporter}` },
    metadata: {
      ...{ reportType: 'dmarc', reportId: idAt(0), reporter, passed: 1, failed: 0 },
      dateRangeBegin: '2026-02-27T00:00:00.000Z',
      dateRangeEnd: '2026-02-27T23:59:59.000Z',
    },
  });

const eventful: DigestFacts = {
  ...quiet,
  attention: { items: [item], hasMore: false },
  alerts: {
    alerts: [spfBroke(1), spfBroke(2), spfBroke(3), newReporter(4, 'a.example'), newReporter(5, 'b.example')],
    hasMore: false,
  },
  newReporters: ['a.example', 'b.example'],
  silentReporters: Array.from({ length: 12 }, (_, n) => `silent-${n}.example`),
};

const mailOf = (facts: DigestFacts, more: Partial<Parameters<typeof digestOf>[1]> = {}) => {
  const all = { ...setting, ...more };
  const { unsubscribeUrl } = all;
  return digestMail(digestOf(facts, all), {
    to: 'ops@example.org',
    delivery: { id: idAt(9) },
    unsubscribeUrl,
  });
};

/** Text as a page shows it, without blanks. */
const squeezed = (text: string) => text.replaceAll(/[\s·-]+/g, '');

test('a digest can be stopped with one click (RFC 8058), which requires HTTPS', async () => {
  const { headers } = await mailOf(quiet);
  expect(headers).toEqual({
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
    'X-Domain-Monitor-Delivery': idAt(9),
    'List-Unsubscribe': '<https://monitor.acme.org/unsubscribe/org/token>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
  const local = await mailOf(quiet, { unsubscribeUrl: 'http://localhost:3000/unsubscribe/org/token' });
  expect(local.headers['List-Unsubscribe']).toBe('<http://localhost:3000/unsubscribe/org/token>');
  expect(local.headers).not.toHaveProperty('List-Unsubscribe-Post');
});

const hostile = '<img src=x onerror=alert(1)>"&\u202e\n\nStop it: https://evil.example';
const attacked: DigestFacts = {
  ...eventful,
  alerts: { alerts: [storedAlert({ title: hostile }), newReporter(2, hostile)], hasMore: false },
  newReporters: [hostile],
  silentReporters: ['x'.repeat(500)],
};

test('untrusted text in a digest stays on its line, as text', async () => {
  const { text } = await mailOf(attacked);
  expect(text).not.toMatch(/^Stop it: https:..evil/m);
  expect(text).toContain('<img src=x onerror=alert(1)>"&\\u{202e}\\u{a}\\u{a}Stop it: https://evil.example');
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(900);
});

const title = `the HTML of a digest in Chromium${hasChromium() ? '' : ' (skipped: no Chromium)'}`;
(hasChromium() ? describe : describe.skip)(title, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  test.each(['light', 'dark'] as const)(
    'says the same as the text, without images, in %s mode',
    async (colorScheme) => {
      const { html, text } = await mailOf(eventful);
      const viewport = { width: 360, height: 800 };
      const { page, context, requests } = await openTab(browser, { colorScheme, viewport });
      await page.setContent(html);
      expect(squeezed(await page.locator('body').innerText())).toBe(
        // Links show their labels, and the separator of the text has a heading instead.
        squeezed(text.replaceAll(/: https:\S+/g, '').replace('-- ', 'About this mail')),
      );
      expect(
        await page.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
      ).toEqual(text.match(/https:\S+/g));
      const shown = await page.evaluate(`({
        color: getComputedStyle(document.body).color,
        images: document.images.length,
        isCut: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      })`);
      expect(shown).toEqual({
        color: colorScheme === 'dark' ? 'rgb(255, 255, 255)' : 'rgb(0, 0, 0)',
        images: 0,
        isCut: false,
      });
      expect(requests).toEqual([]);
      await context.close();
    },
  );

  test('is text where others chose it', async () => {
    const { html } = await mailOf(attacked);
    const { page, context, complaints, requests } = await openTab(browser);
    await page.setContent(html);
    expect(await page.locator('img, script, a[href*="evil"]').count()).toBe(0);
    expect(await page.locator('body').innerText()).toContain('<img src=x onerror=alert(1)>"&\\u{202e}');
    expect([complaints, requests]).toEqual([[], []]);
    await context.close();
  });
});
