/** Badges on pages of other sites: served by the booted service, shown in a real browser. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchChromium, missingForChromium, openTab } from '../kit/browser.ts';
import { describeWith } from '../kit/describe-with.ts';
import { verifyOwnership } from '../kit/example-internet.ts';
import { register } from '../kit/register.ts';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi();
const receiving = { usageType: 'sends-and-receives', testEmailLocalPart: 'postmaster' };
const { id } = await register(api, 'good.test', receiving);
const path = `/api/v1/domains/${id}`;
await verifyOwnership(service, api, id);
expect((await api.call('POST', `${path}/checks`)).status).toBe(200);

const patch = async (json: object) => (await api.call('PATCH', path, { json })).body.data;
const shownUrl = async () => (await api.call('GET', path)).body.data.badgeUrl;

test('enabling a badge creates a stable URL, and disabling it removes the badge immediately', async () => {
  expect(await shownUrl()).toBeNull();
  const { badgeUrl } = await patch({ badge: true });
  expect(badgeUrl.slice(service.url.length)).toMatch(/^\/badge\/[0-9a-f]{32}\.svg$/);
  expect([await shownUrl(), (await patch({ badge: true })).badgeUrl]).toEqual([badgeUrl, badgeUrl]);

  const answer = await fetch(badgeUrl);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('<title>Email security of good.test: grade A, 100 of 100</title>');
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  });
  const etag = answer.headers.get('etag') ?? '';
  const again = await fetch(badgeUrl, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);

  await patch({ badge: false });
  const gone = await fetch(badgeUrl, { headers: { 'if-none-match': etag } });
  expect([gone.status, gone.headers.get('cache-control')]).toEqual([404, 'no-store']);
  expect(await shownUrl()).toBeNull();
  expect((await patch({ badge: true })).badgeUrl).not.toBe(badgeUrl);
});

test('a badge follows the usage type of its domain, as the score does', async () => {
  const { badgeUrl } = await patch({ badge: true, usageType: 'parked' });
  const { grade, score } = (await api.call('GET', `${path}/score`)).body.data;
  expect(score).toBeLessThan(100);
  expect(await (await fetch(badgeUrl)).text()).toContain(`grade ${grade}, ${score} of 100`);
  await patch(receiving);
  expect(await (await fetch(badgeUrl)).text()).toContain('grade A, 100 of 100');
});

test.each(['x.svg', `${'0'.repeat(32)}.svg`, '0'.repeat(32), `${'0'.repeat(32)}.png`, '..%2fx.svg', '.svg'])(
  'returns 404 for /badge/%s',
  async (file) => {
    const answer = await fetch(`${service.url}/badge/${file}`);
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
      404,
      'not_found',
    ]);
  },
);

describeWith(missingForChromium(), 'a badge in Chromium', () => {
  let browser: Browser;
  let badgeUrl: string;
  let site: Server;
  beforeAll(async () => {
    browser = await launchChromium();
    ({ badgeUrl } = await patch({ badge: true }));
    // This page loads only resources that allow embedding by other sites.
    const headers = { 'content-type': 'text/html', 'cross-origin-embedder-policy': 'require-corp' };
    site = createServer((_request, response) => {
      response.writeHead(200, headers);
      response.end(
        `<!doctype html><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><img src="${badgeUrl}">`,
      );
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
  });

  test.each(['light', 'dark'] as const)('is shown on a %s page of another site', async (colorScheme) => {
    const { page, context, complaints } = await openTab(browser, { colorScheme });
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const image = page.locator('img');
    await image.evaluate((element) => (element as unknown as { decode(): Promise<void> }).decode());
    const { width = 0, height } = (await image.boundingBox()) ?? {};
    expect([width > 100, height]).toEqual([true, 20]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('keeps its texts inside their backgrounds, whatever the font', async () => {
    const { page, context, complaints } = await openTab(browser);
    await page.goto(badgeUrl);
    const boxes = (selector: string) =>
      page.locator(selector).evaluateAll((elements) =>
        elements.map((element) => {
          const { left, right } = element.getBoundingClientRect();
          return [left, right] as const;
        }),
      );
    const backgrounds = await boxes('g rect');
    const texts = await boxes('text');
    expect([backgrounds.length, texts.length]).toEqual([2, 2]);
    for (const [at, [left, right]] of texts.entries()) {
      const [from = Number.NaN, to = Number.NaN] = backgrounds[at] ?? [];
      expect(left - from).toBeGreaterThanOrEqual(4);
      expect(to - right).toBeGreaterThanOrEqual(4);
    }
    expect(await page.getByRole('img').getAttribute('aria-label')).toContain('good.test');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
