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

const expectedText = `1 item needs you.

What needs you
--------------

[warning] Ownership of example.org is no longer proven
The verification record has been missing from DNS since 29 Jan 2026. Publish it again if the domain is yours, or delete the domain from this service if it is not. Until then, its data is kept and it is checked as before.
Since 29 Jan 2026
Show the verification record: https://monitor.acme.org/console/domains/018f0000-0000-7000-8000-000000000002#steps

What changed since 23 Feb 2026
------------------------------

[critical] SPF change 1: example.org (21 Feb 2026)

[warning] SPF change 3: example.org (2 times, last on 23 Feb 2026)

[info] New DMARC report from b.example (2 times, last on 1 Mar 2026)

All alerts: https://monitor.acme.org/console/alerts

Mail in DMARC reports, 22 Feb 2026 to 28 Feb 2026
-------------------------------------------------

12,345 messages, 99.1 % passed DMARC
In the 7 days before: 11,000 messages, 98.75 % passed DMARC

New reporters
a.example, b.example

Reporters without a report
silent-0.example, silent-1.example, silent-2.example, silent-3.example, silent-4.example, silent-5.example, silent-6.example, silent-7.example, silent-8.example, silent-9.example, 2 more

--\x20

You get this mail every week, even if nothing happened. If it does not arrive, ask the operator of the service. This is an automated message of the Email domain security monitor; replies are not read.

Change when it is sent: https://monitor.acme.org/console/settings#notifications

Stop it: https://monitor.acme.org/unsubscribe/org/token
`;

/** Text as a page shows it, without blanks. */
const squeezed = (text: string) => text.replaceAll(/[\s·-]+/g, '');

test('a digest says what needs a person, what changed, and how mail compares with the week before', async () => {
  const { subject, text } = await mailOf(eventful);
  expect([subject, text]).toEqual(['Weekly digest: 1 item needs you', expectedText]);
});

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

test('a digest names 20 causes at most, and says that there are more', async () => {
  const alerts = Array.from({ length: 30 }, (_, n) => ({
    ...newReporter(n, `r${n}.example`),
    domainId: idAt(100 + n),
  }));
  const { text } = await mailOf({ ...quiet, alerts: { alerts, hasMore: false } });
  expect(text.match(/New DMARC report/g)).toHaveLength(20);
  expect(text).toContain('More changes: all alerts: https://monitor.acme.org/console/alerts');
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

describe('the verdict of a digest', () => {
  const info = { alerts: [newReporter(4, 'a.example')], hasMore: false };
  const grave = { alerts: [spfBroke(1), spfBroke(2)], hasMore: false };
  const items = Array.from({ length: 20 }, () => item);
  const forged = {
    alerts: [{ ...newReporter(4, 'a.example'), severity: 'critical' as const }],
    hasMore: false,
  };
  const noReports = { ...quiet.week, messages: 0, passRate: null };

  test.each<[Partial<DigestFacts>, string, string]>([
    [{}, 'all is well', 'All is well: nothing needs you, and nothing changed.'],
    [{ alerts: info }, 'all is well', 'All is well: nothing needs you.'],
    [{ alerts: grave }, '2 changes to look at', 'Nothing is on your list. Look at 2 changes below.'],
    [{ alerts: forged }, 'all is well', 'All is well: nothing needs you.'],
    [{ attention: { items, hasMore: false } }, '20 items need you', '20 items need you.'],
    [{ attention: { items, hasMore: true } }, 'more than 20 items need you', 'More than 20 items need you.'],
    [
      { week: noReports },
      'no reports about the last week',
      'Nothing is on your list, but no DMARC report covers the last week.',
    ],
    // A domain that has not sent mail for two weeks.
    [
      { week: noReports, weekBefore: noReports },
      'all is well',
      'All is well: nothing needs you, and nothing changed.',
    ],
  ])('%#: %s', async (facts, subject, headline) => {
    const mail = await mailOf({ ...quiet, ...facts }, { often: 'daily' });
    expect([mail.subject, mail.text.split('\n')[0]]).toEqual([`Daily digest: ${subject}`, headline]);
  });
});
