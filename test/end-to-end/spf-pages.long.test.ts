/**
 * The SPF pages in a real browser, served by the booted service with BIND as its DNS server. What all pages have in common is in
 * `accessibility.long.test.ts`.
 */
import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { type Bind, missingForBind, startBind } from '../kit/bind.ts';
import { missingForChromium, type Tab } from '../kit/browser.ts';
import { browserTabs } from '../kit/browser-tabs.ts';
import { describeWith } from '../kit/describe-with.ts';
import type { BootedService } from '../kit/service.ts';
import { spfZone } from '../kit/spf-zones.ts';
import { use } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

describeWith(missingForBind() ?? missingForChromium(), 'the pages in Chromium', () => {
  let bind: Bind;
  let service: BootedService;
  const openedTab = browserTabs();

  beforeAll(async () => {
    bind = await use(startBind(['example.org']));
    await bind.publish('example.org', spfZone);
    service = await useService({ DNS_SERVERS: bind.server, TOOL_RATE_PER_MINUTE: '0' });
  });

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const tab = await openedTab(options);
    await tab.page.goto(`${service.url}${path}`);
    return tab;
  }
  const result = (name: string) => `/spf?domain=${name}.example.org`;

  test('check a domain typed into the form, and load nothing else', async () => {
    const { page, requests, complaints } = await open('/spf');
    await page.getByLabel('Domain').fill('example.org');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'example.org' }).waitFor();
    expect(await page.locator('.word').textContent()).toContain('Valid');
    expect(await page.getByRole('img', { name: '4 lookups (limit 10)' }).locator('.used').count()).toBe(4);
    expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([
      `${service.url}/spf`,
      `${service.url}/spf?domain=example.org`,
    ]);
    expect(complaints).toEqual([]);
  });

  test('work without JavaScript: check, save, open the link, check again', async () => {
    const { page } = await open('/spf', { javaScriptEnabled: false });
    await page.getByLabel('Domain').fill('_spf.example.org');
    await page.getByRole('button', { name: 'Check' }).click();
    const shown = page.getByRole('article');
    const seen = (await shown.locator('section').allInnerTexts()).join();
    await page.getByRole('button', { name: 'Save and share' }).click();
    await page.waitForURL(/\/s\/spf\/[0-9a-z]{24}$/);
    expect((await shown.locator('section').allInnerTexts()).join()).toBe(seen);
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Check again' }).click();
    await page.waitForURL(/\?domain=_spf\.example\.org$/);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('_spf.example.org');
  });

  test('copy the list of addresses, and the link of a shared result', async () => {
    const { page, context, complaints } = await open('/spf?domain=example.org');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = () => page.evaluate('navigator.clipboard.readText()');
    await page.getByText('6 addresses and ranges as published').click();
    await page.locator('details[open] button[data-copy=networks]').click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    expect(await clipboard()).toBe(
      '192.0.2.0/24\n198.51.100.7\n198.51.100.64/26\n203.0.113.0/25\n203.0.113.128/25\n2001:db8::/32',
    );
    await page.getByRole('button', { name: 'Save and share' }).click();
    await page.waitForURL(/\/s\/spf\//);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    expect(await clipboard()).toBe(page.url());
    expect(complaints).toEqual([]);
  });

  test('show a hostile record without running any of it', async () => {
    const { page, complaints } = await open(result('hostile'));
    await page.mouse.move(300, 300);
    expect(complaints).toEqual([]);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('main img, main iframe, main [onmouseover], main [onerror]').count()).toBe(0);
    const record = await page.locator('#text').textContent();
    for (const part of [
      '<script>alert(1)</script>',
      '"onmouseover=alert(2)"',
      '</style></title></code>&lt;',
    ]) {
      expect(record).toContain(part);
    }
    expect(record).toContain('ip4:1.2.3.4\\u{202e}0.0/8');
    expect(record).toContain('\\u{0}\\u{7}x');
    expect(await page.locator('body').textContent()).not.toMatch(/[\p{Cf}\p{Co}]|(?!\n)\p{Cc}/u);
  });

  test.each(['many', 'broken', 'twice', 'none', 'partly', 'hostile'])(
    'the result of %s has no horizontal scrolling',
    async (name) => {
      const { page } = await open(result(name), { viewport: { width: 320, height: 740 } });
      await page.evaluate("for (const it of document.querySelectorAll('details')) it.open = true");
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    },
  );

  test('of the API reference work without script', async () => {
    const { page, complaints } = await open('/docs', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'POST /api/v1/domains', exact: true }).click();
    const { y = 0 } = (await page.locator('#createDomain').boundingBox()) ?? {};
    expect(Math.abs(y)).toBeLessThan(20);
    expect(complaints).toEqual([]);
  });

  test('follow the color scheme of the reader', async () => {
    const brightness = async (colorScheme: 'light' | 'dark') => {
      const { page } = await open('/', { colorScheme });
      const colour = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      return Number(/\d+/.exec(colour)?.[0]);
    };
    expect(await brightness('light')).toBeGreaterThan(200);
    expect(await brightness('dark')).toBeLessThan(60);
  });

  test('can be used by keyboard: a skip link, then every control in order, each with a visible focus', async () => {
    const { page } = await open('/spf?domain=example.org');
    const visited: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      await page.keyboard.press('Tab');
      const [name, outline] = (await page.evaluate(
        '[document.activeElement.innerText || document.activeElement.name, getComputedStyle(document.activeElement).outlineStyle]',
      )) as [string, string];
      expect([name, outline]).toEqual([name, 'solid']);
      visited.push(name.split('\n')[0] ?? '');
    }
    expect(visited.slice(0, 11)).toEqual([
      'Skip to content',
      'SPF checker',
      'Domain',
      'SPF',
      'API',
      'Sign in',
      'domain',
      'Check',
      'Check again',
      'Save and share',
      expect.any(String),
    ]);
    const tree = page.locator('.tree summary').first();
    await tree.focus();
    const isOpen = () => page.locator('.tree details').first().getAttribute('open');
    expect(await isOpen()).not.toBeNull();
    await page.keyboard.press('Enter');
    expect(await isOpen()).toBeNull();
  });

  test('have each id once', async () => {
    const { page } = await open('/spf?domain=example.org');
    expect(await page.evaluate("document.querySelectorAll('[id]').length")).toBe(
      await page.evaluate("new Set(Array.from(document.querySelectorAll('[id]'), (it) => it.id)).size"),
    );
  });

  test('print an ordinary result on at most two pages, with every branch of the tree open', async () => {
    const { page } = await open('/spf?domain=example.org');
    await page.locator('.tree summary').first().click();
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(2);
    await page.emulateMedia({ media: 'print' });
    const leaf = page.locator('.tree code', { hasText: 'ip4:198.51.100.64/26' });
    expect((await leaf.boundingBox())?.height).toBeGreaterThan(0);
    expect(await page.getByRole('button', { name: 'Check' }).count()).toBe(0);
  });
});
