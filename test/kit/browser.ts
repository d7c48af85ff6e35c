/** A headless Chromium that only connects to the service under test. */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

/** The build without a user interface takes a third of the CPU time. */
const EXECUTABLE = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) => existsSync(file));

/** Whether Chromium is installed on this machine; CI installs it. */
export const hasChromium = (): boolean => EXECUTABLE !== undefined;

/** Why Chromium cannot run on this machine; undefined if it can. */
export const missingForChromium = () => (hasChromium() ? undefined : 'no Chromium');

/** @param more Arguments of Chromium. */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE ?? 'chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the page's policy, logged errors, and every dialog that was opened. */
  readonly complaints: readonly string[];
  /** Every requested URL. */
  readonly requests: readonly string[];
}

/** Opens a tab with its own cookies. */
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
