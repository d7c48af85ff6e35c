/** A headless Chromium that asks nobody but the service under test. */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

const EXECUTABLE = '/usr/bin/chromium';

/** Whether Chromium is on this machine; CI installs it. */
export function hasChromium(): boolean {
  return existsSync(EXECUTABLE);
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page's policy refused, what it logged as an error, and every dialog it opened. */
  readonly complaints: readonly string[];
  /** Every address that was asked for. */
  readonly requests: readonly string[];
}

/** A tab of its own, without cookies of others. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  return { page, context, requests, complaints };
}
