/** The pages about a domain in a real browser, as markup without a service. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { dmarcPage } from '../../../../shared/pages/console/domain/dmarc.ts';
import { enforcementPage } from '../../../../shared/pages/console/domain/enforcement.ts';
import { historyPage } from '../../../../shared/pages/console/domain/history.ts';
import { overviewPage } from '../../../../shared/pages/console/domain/overview.ts';
import { tlsPage } from '../../../../shared/pages/console/domain/tls.ts';
import { CONSOLE_ROOM } from '../../../../shared/pages/console/layout.ts';
import { document } from '../../../../shared/pages/document.ts';
import type { Markup } from '../../../../shared/pages/markup.ts';
import { domainStyle } from '../../../../shared/pages/style.ts';
import { hasChromium, launchChromium } from '../../../kit/browser.ts';
import {
  dmarcView,
  enforcementView,
  historyView,
  overviewView,
  shownDomain,
  tlsView,
} from '../../../kit/domain-views.ts';

const title = `the pages of a domain in Chromium${hasChromium() ? '' : ' (skipped: no Chromium)'}`;

/** Longer than a narrow window, without a place to break. */
const TEXT = `${'long'.repeat(40)}.example`;

const pages = {
  overview: async () => overviewPage(shownDomain, overviewView(TEXT), CONSOLE_ROOM),
  history: async () => historyPage(shownDomain, historyView(TEXT), CONSOLE_ROOM),
  dmarc: async () => dmarcPage(shownDomain, await dmarcView(TEXT), CONSOLE_ROOM),
  enforcement: async () => enforcementPage(shownDomain, enforcementView(TEXT), CONSOLE_ROOM),
  tls: async () => tlsPage(shownDomain, tlsView(TEXT), CONSOLE_ROOM),
};

(hasChromium() ? describe : describe.skip)(title, () => {
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
    tab.setContent(document({ title: 'a page', description: 'a page', styles: domainStyle, main }));

  test.each(Object.entries(pages))(
    '%s fits a window of 320 pixels with everything unfolded',
    async (_, page) => {
      await open(await page());
      await tab.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })');
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(320);
    },
  );

  test('only the button that was pressed says that it is busy', async () => {
    await open(await pages.dmarc());
    await tab.evaluate('addEventListener("submit", (event) => event.preventDefault())');
    const card = tab.locator('.card').nth(1);
    await card.getByRole('button', { name: 'Unauthorized' }).click();
    expect(await card.getByRole('button').allTextContents()).toEqual(['Approve', 'Forwarder', 'Saving…']);
  });
});
