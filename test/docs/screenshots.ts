/**
 * `npm run screenshots` retakes the screenshots of README and docs/, on a service with the data of `demo` that it starts.
 * It needs Debian's Chromium.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { launchChromium, openTab } from '../kit/browser.ts';
import { bootService } from '../kit/service.ts';
import { namedIn } from '../kit/web-pages.ts';
import { designSheet } from './components.ts';
import { fileOf, screenshotPages, widths } from './screenshot-pages.ts';

const SIZE = { width: 1000, height: 900 };
const docs = new URL('../../docs/', import.meta.url);

const service = await bootService({ TOOL_RATE_PER_MINUTE: '0' });
const browser = await launchChromium();

const save = (file: string, picture: Uint8Array) => writeFileSync(new URL(file, docs), picture);
const reader = { colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC' } as const;

async function signIn(page: Page): Promise<void> {
  await page.goto(`${service.url}/console/sign-in`);
  await page.getByLabel('API token').fill(service.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
}

try {
  const named = await namedIn(service);
  const { page } = await openTab(browser, { ...reader, viewport: SIZE });
  await signIn(page);
  const weak = `/console/domains/${named.domainIds.get('weak.test')}`;
  const shots = {
    'screenshot.png': '/spf?domain=broken-spf.test',
    'screenshot-domain.png': `${weak}#fix`,
    'screenshot-dmarc.png': `${weak}/dmarc`,
  };
  for (const [file, path] of Object.entries(shots)) {
    await page.goto(`${service.url}${path}`);
    save(file, await page.screenshot());
  }
  mkdirSync(new URL('screenshots/', docs), { recursive: true });
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    for (const one of screenshotPages) {
      await page.goto(`${service.url}${one.path(named)}`);
      save(fileOf(one, width), await page.screenshot());
    }
  }
  const sheet = await openTab(browser, { ...reader, viewport: SIZE });
  await sheet.page.setContent(designSheet());
  save('screenshot-design.png', await sheet.page.screenshot({ fullPage: true }));
} finally {
  await browser.close();
  await service.remove();
}
