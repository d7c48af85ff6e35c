import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { launchChromium, openTab, type Tab } from './browser.ts';

/** Launches a browser for the tests of a block. Returns how they open tabs, which close when a test ends. */
export function browserTabs(): (options?: BrowserContextOptions) => Promise<Tab> {
  let browser: Browser;
  const tabs: Tab[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
  }, 60_000);
  afterEach(async () => {
    for (const { context } of tabs.splice(0)) await context.close();
  });
  afterAll(() => browser?.close());

  return async (options) => {
    const tab = await openTab(browser, options);
    tabs.push(tab);
    return tab;
  };
}
