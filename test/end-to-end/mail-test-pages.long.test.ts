/** The pages of the mail tester in a real browser, served by the booted service. */
import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { missingForChromium, type Tab } from '../kit/browser.ts';
import { browserTabs } from '../kit/browser-tabs.ts';
import { describeWith } from '../kit/describe-with.ts';
import { type DnsServer, startDnsServer } from '../kit/dns-server.ts';
import type { BootedService } from '../kit/service.ts';
import { sendMail } from '../kit/smtp-client.ts';
import { use } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

const BAD = '<img src=x onerror=alert(1)> \u202e </title>';
const MESSAGE = `From: ${BAD} <a@sender.example>\r\nSubject: ${BAD}\r\nReceived: from ${BAD} by ${'long'.repeat(100)}; x\r\n\r\nHello\r\n`;

describeWith(missingForChromium(), 'the pages of the mail tester in Chromium', () => {
  let dns: DnsServer;
  let service: BootedService;
  const openedTab = browserTabs();

  beforeAll(async () => {
    dns = await use(startDnsServer({ 'sender.example': { TXT: ['v=spf1 ip4:127.0.0.1 -all'] } }));
    service = await useService({
      DNS_SERVERS: `${dns.address}:${dns.port}`,
      TESTER_DOMAIN: 'tester.example',
      BLOCKLISTS: 'combined=list.example',
      TOOL_RATE_PER_MINUTE: '0',
    });
  });

  /** Starts a test from the page at `/`. Returns the tab and the test address. */
  async function start(options: BrowserContextOptions = {}): Promise<Tab & { readonly email: string }> {
    const tab = await openedTab(options);
    const { page } = tab;
    await page.goto(`${service.url}/`);
    await page.getByRole('button', { name: 'Get a test address' }).click();
    await page.waitForURL(/\/t\/[a-z2-7]{26}$/);
    return { ...tab, email: (await page.locator('#address code').textContent()) ?? '' };
  }

  const send = (email: string) =>
    sendMail(service.smtpPort, { from: 'a@sender.example', to: [email], message: MESSAGE });

  test('start a test, wait, and show the result without a reload by the user', async () => {
    const { page, email, complaints, context } = await start();
    expect(email).toMatch(/^[a-z2-7]{26}@tester\.example$/);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy address' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(email);
    expect(await send(email)).toMatch(/^250/);
    await page.getByRole('heading', { name: 'What to fix' }).waitFor();
    expect(await page.getByRole('img', { name: /Spam score/ }).count()).toBe(1);
    await page.getByText('Rejected by Gmail and other receivers').waitFor();
    await page.getByRole('heading', { name: 'What receivers do' }).waitFor();
    expect(await page.locator('.check-result').count()).toBeGreaterThan(5);
    // Nothing in the message was executed or loaded.
    expect(complaints).toEqual([]);
    expect(await page.locator('main img[src], main [onerror]').count()).toBe(0);
  });

  test('say that the service is gone, and go on when it is back', async () => {
    const { page, email, context } = await start();
    await page.clock.install();
    await page.reload();
    await context.route('**/t/*', (route) => route.abort());
    const lost = page.getByRole('alert');
    for (const _ of ['an answer can be lost', 'the service is gone']) {
      expect(await lost.isVisible()).toBe(false);
      const failed = page.waitForEvent('requestfailed');
      await page.clock.runFor(3000);
      await failed;
    }
    await lost.waitFor();
    expect(await lost.textContent()).toContain('The service does not answer');
    await context.unroute('**/t/*');
    await send(email);
    await page.clock.runFor(3000);
    await page.getByRole('heading', { name: 'What to fix' }).waitFor();
  });

  test('work without JavaScript', async () => {
    const { page, email } = await start({ javaScriptEnabled: false });
    await send(email);
    await page.getByRole('heading', { name: 'What to fix' }).waitFor({ timeout: 20_000 });
  });
});
