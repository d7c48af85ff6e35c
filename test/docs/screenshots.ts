/**
 * `npm run screenshots` retakes the screenshots of README and docs/, on a service with the data of `demo` that it starts.
 * It needs Debian's Chromium.
 */
import { writeFileSync } from 'node:fs';
import { launchChromium, openTab } from '../kit/browser.ts';
import { bootService } from '../kit/service.ts';
import { namedIn } from '../kit/web-pages.ts';

const SIZE = { width: 1000, height: 900 };

const service = await bootService();
const browser = await launchChromium();
try {
  const { domainIds } = await namedIn(service);
  const { page } = await openTab(browser, { viewport: SIZE, colorScheme: 'light' });
  await page.goto(`${service.url}/console/sign-in`);
  await page.getByLabel('API token').fill(service.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  const weak = `/console/domains/${domainIds.get('weak.test')}`;
  const shots = {
    'screenshot.png': '/spf?domain=broken-spf.test',
    'screenshot-domain.png': `${weak}#fix`,
    'screenshot-dmarc.png': `${weak}/dmarc`,
  };
  for (const [file, path] of Object.entries(shots)) {
    await page.goto(`${service.url}${path}`);
    writeFileSync(new URL(`../../docs/${file}`, import.meta.url), await page.screenshot());
  }
} finally {
  await browser.close();
  await service.remove();
}
