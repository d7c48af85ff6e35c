/** The pages about a domain in a real browser, as markup without a service. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { day } from '../../../../shared/pages/check-results/text.ts';
import { dmarcPage } from '../../../../shared/pages/console/domain/dmarc.ts';
import { enforcementPage } from '../../../../shared/pages/console/domain/enforcement.ts';
import { historyPage } from '../../../../shared/pages/console/domain/history.ts';
import { overviewPage } from '../../../../shared/pages/console/domain/overview.ts';
import { tlsPage } from '../../../../shared/pages/console/domain/tls.ts';
import { CONSOLE_ROOM } from '../../../../shared/pages/console/layout.ts';
import { document } from '../../../../shared/pages/document.ts';
import { html, type Markup, timeElement } from '../../../../shared/pages/markup.ts';
import { workplaceStyle } from '../../../../shared/pages/style.ts';
import { launchChromium, missingForChromium } from '../../../kit/browser.ts';
import { describeWith } from '../../../kit/describe-with.ts';
import {
  dmarcView,
  enforcementView,
  historyView,
  overviewView,
  shownDomain,
  tlsView,
} from '../../../kit/domain-views.ts';

/** Longer than a narrow window, without a place to break. */
const TEXT = `${'long'.repeat(40)}.example`;

const pages = {
  overview: async () => overviewPage(shownDomain, overviewView(TEXT), CONSOLE_ROOM),
  history: async () => historyPage(shownDomain, historyView(TEXT), CONSOLE_ROOM),
  dmarc: async () => dmarcPage(shownDomain, await dmarcView(TEXT), CONSOLE_ROOM),
  enforcement: async () => enforcementPage(shownDomain, enforcementView(TEXT), CONSOLE_ROOM),
  tls: async () => tlsPage(shownDomain, tlsView(TEXT), CONSOLE_ROOM),
};

describeWith(missingForChromium(), 'the pages of a domain in Chromium', () => {
  let browser: Browser;
  let tab: Page;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  // A tab for each page, because the script of a page declares global constants.
  beforeEach(async () => {
    tab = await browser.newPage({ viewport: { width: 320, height: 640 } });
  });
  afterEach(() => tab.close());
  afterAll(() => browser?.close());

  const open = async (main: Markup) =>
    tab.setContent(document({ title: 'a page', description: 'a page', styles: workplaceStyle, main }));

  test.each(Object.entries(pages))(
    '%s fits a window of 320 pixels with everything unfolded',
    async (_, page) => {
      await open(await page());
      await tab.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })');
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(320);
    },
  );

  test.each([
    ['de-DE', 'Europe/Berlin', true, '1. Dez. 2026, 00:30 MEZ', '30. Nov. 2026'],
    ['en-GB', 'America/Los_Angeles', true, '30 Nov 2026, 15:30 GMT-8', '30 Nov 2026'],
    ['de-DE', 'Europe/Berlin', false, '30 Nov 2026, 23:30 UTC', '30 Nov 2026'],
  ])('a time is in the language %s and the zone %s, a day is that of UTC; script: %p', async (...given) => {
    const [locale, timezoneId, javaScriptEnabled, time, dayInZone] = given;
    const context = await browser.newContext({ locale, timezoneId, javaScriptEnabled });
    const page = await context.newPage();
    const main = html`<p>${timeElement('2026-11-30T23:30:00.000Z')} ${day('2026-11-30')} <time datetime="soon">soon</time></p>`;
    await page.setContent(document({ title: 'a page', description: 'a page', main }));
    expect(await page.locator('time').allTextContents()).toEqual([time, dayInZone, 'soon']);
    const first = page.locator('time').first();
    expect(await first.getAttribute('datetime')).toBe('2026-11-30T23:30:00.000Z');
    expect(await first.getAttribute('title')).toBe(javaScriptEnabled ? '30 Nov 2026, 23:30 UTC' : null);
    await context.close();
  });

  test('only the button that was pressed says that it is busy', async () => {
    await open(await pages.dmarc());
    await tab.evaluate('addEventListener("submit", (event) => event.preventDefault())');
    const row = tab.locator('.senders tbody tr', { has: tab.getByRole('button') }).first();
    await row.getByRole('button', { name: 'Unauthorized' }).click();
    expect(await row.getByRole('button').allTextContents()).toEqual(['Approve', 'Forwarder', 'Saving…']);
  });
});
