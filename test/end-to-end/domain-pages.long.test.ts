/** The pages of the domain checker in a real browser, on the example internet, from one service. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { checkNames } from '../../shared/checks/state.ts';
import { missingForChromium, type Tab } from '../kit/browser.ts';
import { browserTabs } from '../kit/browser-tabs.ts';
import { describeWith } from '../kit/describe-with.ts';
import { publishTxt } from '../kit/example-internet.ts';
import type { BootedService } from '../kit/service.ts';
import { useService } from '../kit/use-service.ts';

const NARROW = { width: 320, height: 740 };

describeWith(missingForChromium(), 'the pages of the domain checker', () => {
  let service: BootedService;
  const tab = browserTabs();

  beforeAll(async () => {
    service = await useService({ TOOL_RATE_PER_MINUTE: '0' });
  });

  /** Opens a page; of a result, when it is there. */
  async function open(path: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const opened = await tab(options);
    await opened.page.goto(`${service.url}${path}`);
    if (path.includes('domain=')) await opened.page.locator('#checks').waitFor();
    return opened;
  }

  const gradeOn = (page: Page) => page.locator('#grade').textContent();

  describe.each([
    ['good.test', 'sends-and-receives', 'Grade A: Excellent'],
    ['weak.test', 'sends-and-receives', 'Grade F: Critical'],
    ['parked.test', 'parked', 'Grade A: Excellent'],
    ['broken-spf.test', 'sends-and-receives', 'Grade F: Critical'],
    ['servfail.test', 'sends-and-receives', 'No grade'],
    ['nonexistent.test', 'sends-and-receives', 'This domain does not exist'],
  ])('for %s (%s)', (domain, usageType, grade) => {
    const query = `domain=${domain}&usageType=${usageType}`;

    test(`fill in ${grade}, and fit 320 pixels with everything unfolded`, async () => {
      const { page, complaints } = await open(`/?${query}`, { viewport: NARROW });
      expect(await gradeOn(page)).toBe(grade);
      expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([domain]);
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      expect(await page.locator('.check-of').count()).toBe(checkNames.length);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
      expect(complaints).toEqual([]);
    });

    test('show the same without script, in less than 60 kB', async () => {
      const { page } = await open(`/?${query}`, { javaScriptEnabled: false });
      expect(new URL(page.url()).pathname).toBe('/check');
      expect(await gradeOn(page)).toBe(grade);
      const answer = await fetch(`${service.url}/check?${query}`);
      expect(Buffer.byteLength(await answer.text())).toBeLessThan(60_000);
    });
  });

  test('appear at once, say what is looked up, and fill in without leaving the address', async () => {
    const { page, requests, complaints } = await tab();
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await page.route('**/check?**', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${service.url}/`);
    await page.getByLabel('Domain').fill('https://weak.test/about');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Checking…' }).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(1);
    expect(await page.locator('.looked-up li').count()).toBeGreaterThan(5);
    const address = page.url();
    finish();
    await page.locator('#checks').waitFor();
    expect([page.url(), await page.getByRole('progressbar').count()]).toEqual([address, 0]);
    expect(await page.title()).toBe('weak.test: grade F, 24 of 100 – email security check');
    expect(await page.getByRole('status').textContent()).toBe(await page.title());
    expect(requests.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).pathname)).toEqual([
      '/',
      '/',
      '/check',
    ]);
    expect(complaints).toEqual([]);
  });

  test('say that a check did not finish, and offer to try again', async () => {
    const { page } = await tab({ viewport: NARROW });
    await page.route('**/check?**', (route) =>
      route.fulfill({ status: 504, contentType: 'application/json', body: '{"message": "timeout"}' }),
    );
    await page.goto(`${service.url}/?domain=weak.test`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await page.unroute('**/check?**');
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.locator('#checks').waitFor();
  });

  test('show an error of the check in its place', async () => {
    const { page } = await tab();
    await page.route('**/check?**', (route) =>
      route.continue({ url: `${service.url}/check?domain=localhost` }),
    );
    await page.goto(`${service.url}/?domain=weak.test`);
    await page.getByRole('heading', { level: 1, name: 'Invalid request' }).waitFor();
    expect(await page.locator('main').textContent()).toContain('must have at least two labels');
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  });

  test('work without script: choose a usage, save, open the link, check again', async () => {
    const { page, requests } = await open('/', { javaScriptEnabled: false });
    await page.getByLabel('Domain').fill('parked.test');
    await page.getByLabel('Usage').selectOption('Parked: no mail');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.locator('#checks').waitFor();
    const sections = async () =>
      (await page.locator('article > section:not(.verdict)').allInnerTexts()).join();
    const seen = await sections();
    await page.getByRole('button', { name: 'Save and share' }).click();
    await page.waitForURL(/\/s\/check\/[0-9a-z]{24}$/);
    expect([await gradeOn(page), await sections()]).toEqual(['Grade A: Excellent', seen]);
    expect(await page.locator('main').textContent()).toContain('Saved result.');
    const image = await page.locator('meta[property="og:image"]').getAttribute('content');
    expect(image).toBe(`${page.url()}/card.png`);
    await page.getByRole('link', { name: 'Check again' }).click();
    await page.locator('#checks').waitFor();
    expect(page.url()).toContain('/check?domain=parked.test&usageType=parked');
    expect(requests.every((url) => url.startsWith('data:') || url.startsWith(service.url))).toBe(true);
  });

  test('have an image for link previews that browsers can show', async () => {
    const form = {
      method: 'POST',
      body: new URLSearchParams({ domain: 'good.test' }),
      redirect: 'manual',
    } as const;
    const location = (await fetch(`${service.url}/s/check`, form)).headers.get('location');
    const { page } = await tab();
    const answer = await page.goto(`${service.url}${location}/card.png`);
    expect(answer?.headers()).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(
      await page.evaluate('[document.images[0].naturalWidth, document.images[0].naturalHeight]'),
    ).toEqual([1200, 630]);
    expect((await fetch(`${service.url}/s/check/unknown/card.png`)).status).toBe(404);
  });

  test('copy records, lead to the SPF tree, and start a mail test', async () => {
    const { page, context } = await open('/?domain=weak.test');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('details.later > summary').click();
    await page.getByRole('button', { name: 'Copy records' }).first().click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('v=STSv1; id=1');
    await page.locator('#check-spf > summary').click();
    await page.getByRole('link', { name: 'Show the SPF tree' }).click();
    await page.locator('.tree').waitFor();
    await page.goBack();
    await page.locator('#checks').waitFor();
    await page.getByRole('button', { name: 'Test your mail' }).click();
    await page.waitForURL(/\/t\//);
  });

  test('lead links of the SPF checker with names that are no domains to it', async () => {
    const { page } = await tab();
    await page.goto(`${service.url}/?domain=_spf.good.test`);
    expect(page.url()).toBe(`${service.url}/spf?domain=_spf.good.test`);
    const refused = await page.goto(`${service.url}/?domain=_spf.good.test&usageType=parked`);
    expect([refused?.status(), await page.getByRole('alert').textContent()]).toEqual([
      400,
      'The domain must consist of letters, digits, and hyphens, separated by single dots.',
    ]);
  });

  test('show hostile records without running any of them', async () => {
    const markup = '"><script>alert(1)</script><img src=x onerror=alert(2)>\u202e';
    for (const [name, value] of [
      ['hostile.test', `v=spf1 include:${markup} -all`],
      ['_dmarc.hostile.test', `v=DMARC1; p=none; rua=mailto:${markup}`],
      ['default._domainkey.hostile.test', `v=DKIM1; k=${markup}; p=AAAA`],
      ['_mta-sts.hostile.test', `v=STSv1; id=1; ${markup}=1`],
      ['_smtp._tls.hostile.test', `v=TLSRPTv1; rua=mailto:${markup}`],
      [
        'default._bimi.hostile.test',
        `v=BIMI1; l=https://hostile.test/${markup}; a=https://hostile.test/${markup}`,
      ],
    ] as const)
      await publishTxt(service, name, value);
    const { page, complaints } = await open('/?domain=hostile.test', { viewport: NARROW });
    await page.getByRole('button', { name: 'Save and share' }).click();
    await page.waitForURL(/\/s\/check\//);
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    expect(complaints).toEqual([]);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('main img, main iframe, main script, main [onerror]').count()).toBe(0);
    const text = (await page.locator('main').textContent()) ?? '';
    expect(text.split('<script>alert(1)</script>').length).toBeGreaterThan(6);
    expect(text).toContain('\\u{202e}');
    expect(text).not.toContain('\u202e');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
  });

  test('have each id once, and work by keyboard', async () => {
    const { page } = await open('/?domain=weak.test');
    const ids = (await page.evaluate(
      "Array.from(document.querySelectorAll('[id]'), (it) => it.id)",
    )) as string[];
    expect(ids).toEqual([...new Set(ids)]);
    const visited: string[] = [];
    for (let n = 0; n < 11; n += 1) {
      await page.keyboard.press('Tab');
      const [name, outline] = (await page.evaluate(
        '[document.activeElement.name || document.activeElement.innerText, getComputedStyle(document.activeElement).outlineStyle]',
      )) as [string, string];
      expect([name, outline]).toEqual([name, 'solid']);
      visited.push(name);
    }
    expect(visited).toEqual([
      ...[
        'Skip to content',
        'Domain check',
        'Domain',
        'SPF',
        'API',
        'Sign in',
        'domain',
        'Check',
        'usageType',
      ],
      ...['Check again', 'Save and share'],
    ]);
  });

  test('print every check unfolded, without controls', async () => {
    const { page } = await open('/?domain=good.test');
    await page.emulateMedia({ media: 'print' });
    const heights = (await page.evaluate(
      "Array.from(document.querySelectorAll('.check-of > p'), (it) => it.getBoundingClientRect().height)",
    )) as number[];
    expect(heights.length).toBeGreaterThanOrEqual(8);
    expect(Math.min(...heights)).toBeGreaterThan(0);
    for (const role of ['button', 'search'] as const) {
      expect([role, await page.getByRole(role).count()]).toEqual([role, 0]);
    }
  });
});
