/**
 * axe on every web page in a real browser, with the data of `demo`, in light and dark, with everything unfolded; and that every page
 * fits windows of each width.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import axe, { type AxeResults } from 'axe-core';
import type { Browser } from 'playwright-core';
import { launchChromium, missingForChromium, openTab, type Tab } from '../kit/browser.ts';
import { describeWith } from '../kit/describe-with.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { type FormPage, formPages, namedIn, pagePaths, redirectedForms, webPages } from '../kit/web-pages.ts';

test('every route with a page has addresses to test', () => {
  expect([...Object.keys(webPages), ...Object.keys(formPages)].toSorted()).toEqual(pagePaths.toSorted());
});

describeWith(missingForChromium(), 'axe finds no violations', () => {
  let service: BootedService;
  let named: Awaited<ReturnType<typeof namedIn>>;
  let browser: Browser;
  let tab: Tab;

  beforeAll(async () => {
    // With an identity provider that nobody asks, there are the pages for people.
    const provider = { OIDC_ISSUER: 'https://id.acme.test', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' };
    service = await bootService({ TOOL_RATE_PER_MINUTE: '0', ...provider });
    [named, browser] = await Promise.all([namedIn(service), launchChromium()]);
    tab = await openTab(browser);
    await tab.page.goto(`${service.url}/console/sign-in`);
    await tab.page.getByLabel('API token').fill(service.token);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.remove();
  });

  const unfold = () =>
    tab.page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })');

  /** The violations of the page that is open: color scheme, rule, and the elements. */
  async function violations(): Promise<string[]> {
    const { page } = tab;
    await unfold();
    await page.evaluate(axe.source);
    const found: string[] = [];
    for (const [colorScheme, options] of [
      ['light', {}],
      // The other rules would find the same again.
      ['dark', { runOnly: ['cat.color'] }],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      const run = `axe.run(${JSON.stringify({ ...options, resultTypes: ['violations'] })})`;
      const results = (await page.evaluate(run)) as AxeResults;
      for (const { id, nodes } of results.violations) {
        found.push(`${colorScheme} ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
      }
    }
    return found;
  }

  test('and would find some', async () => {
    const markup = `<!doctype html><style>:root { color-scheme: light dark } p { background: light-dark(white, black); color: light-dark(black, #333) }</style><img src="data:,"><p>Text`;
    await tab.page.goto(`data:text/html,${encodeURIComponent(markup)}`);
    expect(await violations()).toEqual(
      expect.arrayContaining(['light image-alt: img', 'dark color-contrast: p']),
    );
  });

  test.each(Object.keys(webPages))('at %s', async (path) => {
    for (const address of webPages[path]?.(named) ?? []) {
      const response = await tab.page.goto(`${service.url}${address}`, { waitUntil: 'networkidle' });
      expect([address, new URL(tab.page.url()).pathname]).toEqual([address, address.split('?')[0]]);
      expect([address, await violations()]).toEqual([address, []]);
      // A page that says what is wrong belongs to no place.
      if (response?.ok()) expect([address, await unmarked()]).toEqual([address, []]);
    }
  });

  /** Links of the navigation that lead to this page and do not say so. */
  const unmarked = () =>
    tab.page.evaluate<string[]>(`
      Array.from(document.querySelectorAll('nav.console a:not([aria-current])'))
        .map((link) => link.pathname)
        .filter((path) => path === location.pathname)`);

  /** What is wider than the window, and tables of rows that scroll sideways in it. */
  async function tooWide(width: number): Promise<string[]> {
    await tab.page.setViewportSize({ width, height: 900 });
    return tab.page.evaluate<string[]>(`[
      ...(document.documentElement.scrollWidth > innerWidth ? ['page ' + document.documentElement.scrollWidth] : []),
      ...Array.from(document.querySelectorAll('.domains')).filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className + ' ' + one.scrollWidth),
    ]`);
  }

  /** What is too small to touch on a phone (WCAG 2.2, 2.5.8), which is not among the rules that axe applies by default. */
  async function tooSmall(): Promise<string[]> {
    await tab.page.setViewportSize({ width: 360, height: 740 });
    await tab.page.evaluate(axe.source);
    const run = `axe.run({ runOnly: { type: 'rule', values: ['target-size'] }, resultTypes: ['violations'] })`;
    const { violations: found } = (await tab.page.evaluate(run)) as AxeResults;
    return found.flatMap(({ nodes }) => nodes.map(({ target }) => target.join(' ')));
  }

  test.each(Object.keys(webPages))(
    'and nothing is wider than the window, or too small to touch, at %s',
    async (path) => {
      for (const address of webPages[path]?.(named) ?? []) {
        await tab.page.goto(`${service.url}${address}`);
        await unfold();
        for (const width of [1440, 1280, 1152, 1024, 768, 360, 320])
          expect([address, width, await tooWide(width)]).toEqual([address, width, []]);
        expect([address, await tooSmall()]).toEqual([address, []]);
      }
      await tab.page.setViewportSize({ width: 1280, height: 720 });
    },
  );

  /** The page after a form was sent. */
  async function sent({ address, button, fields = {}, ticked = [] }: FormPage, path: string): Promise<void> {
    await tab.page.goto(`${service.url}${address}`);
    await unfold();
    for (const [field, value] of Object.entries(fields)) await tab.page.locator(field).fill(value);
    for (const box of ticked) await tab.page.locator(box).check();
    const loaded = tab.page.waitForEvent('load');
    await tab.page.getByRole('button', { name: button, exact: true }).first().click();
    await loaded;
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    expect(new URL(tab.page.url()).pathname).toMatch(pattern);
  }

  test.each(Object.keys(formPages))('after %s', async (path) => {
    for (const form of formPages[path]?.(named) ?? []) {
      await sent(form, path.slice('POST '.length));
      expect(await violations()).toEqual([]);
    }
  });

  test.each(Object.keys(redirectedForms))('after a form, at %s', async (path) => {
    for (const form of redirectedForms[path]?.(named) ?? []) {
      await sent(form, path);
      expect([form, await violations()]).toEqual([form, []]);
    }
  });
});
