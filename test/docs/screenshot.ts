/**
 * `npm run screenshot` retakes the README's screenshot: an SPF check on a service that it starts. It needs Debian's
 * Chromium.
 */
import { writeFileSync } from 'node:fs';
import { launchChromium, openTab } from '../kit/browser.ts';
import { bootService } from '../kit/service.ts';

const DOMAIN = 'broken-spf.test';
const SIZE = { width: 1000, height: 900 };

const service = await bootService();
const browser = await launchChromium();
try {
  const { page } = await openTab(browser, { viewport: SIZE, colorScheme: 'light' });
  await page.goto(`${service.url}/spf?domain=${DOMAIN}`);
  writeFileSync(new URL('../../docs/screenshot.png', import.meta.url), await page.screenshot());
} finally {
  await browser.close();
  await service.remove();
}
