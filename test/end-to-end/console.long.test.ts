/** The console as a browser and a script use it: sign-in, domains, the pages about one domain, sign-out. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import * as z from 'zod/mini';
import type { AlertDraft } from '../../shared/alerts/alert.ts';
import { keepSums } from '../../shared/enforcement/organization-sums.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { sessionsOf } from '../../shared/store/keys.ts';
import { startingWith } from '../../shared/store/query.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { domainSumsStore } from '../../shared/store/reports/domain-sums.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { launchChromium, missingForChromium, openTab } from '../kit/browser.ts';
import { describeWith } from '../kit/describe-with.ts';
import { startDnsServer } from '../kit/dns-server.ts';
import { dmarcReport, row, storeDmarc } from '../kit/reports.ts';
import { runToEnd } from '../kit/service.ts';
import { serviceTable, storedDomain } from '../kit/service-table.ts';
import { use } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

const keyItem = z.object({ pk: z.string(), sk: z.string() });
const views = ['', '/subdomains', '/report', '/dmarc', '/enforcement', '/tls', '/compliance', '/history'];
const today = new Date().toISOString().slice(0, 10);

const dns = await use(
  startDnsServer({
    'example.org': { TXT: ['v=spf1 -all'] },
    '_dmarc.example.org': { TXT: ['v=DMARC1; p=none'] },
  }),
);
const service = await useService({
  // Records for a domain of the internet name an address that reporters can reach.
  REPORTS_DOMAIN: 'reports.example.net',
  DNS_SERVERS: `${dns.address}:${dns.port}`,
  TOOL_RATE_PER_MINUTE: '0',
});

const change: AlertDraft = {
  ...{ type: 'dns_change', severity: 'critical', title: 'DMARC changed', message: 'It is weaker.' },
  metadata: {
    ...{ check: 'dmarc', previousState: 'pass', newState: 'fail', omitted: 0 },
    ...{ recordsAdded: ['v=DMARC1; p=none'], recordsRemoved: ['v=DMARC1; p=reject'] },
    ...{ findingsAdded: [], findingsRemoved: [] },
  },
};

/** Stores a report about mail of the domain that failed, and an alert. */
async function storeReport(id: string): Promise<void> {
  const table = await serviceTable(service);
  try {
    const domain = await storedDomain(table, id);
    const mail = row({ sourceIp: '198.51.100.10', count: 30, dkim: 'fail', spf: 'fail', dkimResults: [] });
    const reports = dmarcReportStore(table, { retentionDays: 0 });
    await storeDmarc(reports, domain, dmarcReport(`${today}T00:00:00Z`, [mail]));
    const now = new Date();
    const days = await summaryStore(table).readSummaries(domain.id, { from: today, to: today }, now);
    await keepSums(domain, days, domainSumsStore(table, { retentionDays: 0 }), now);
    const writes = await alertStore(table, { retentionDays: 0 }).writesOf(
      domain,
      [change, change],
      new Date(),
    );
    await table.transact(writes);
  } finally {
    await table.stop();
  }
}

describe('a script', () => {
  let cookie = '';

  const get = (path: string) => fetch(`${service.url}${path}`, { headers: { cookie }, redirect: 'manual' });
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
  /** Where a form leads, without what it did. */
  const pathOf = ({ headers }: Response) => headers.get('location')?.replace(/[?&]flash=[\w-]+$/, '') ?? '';
  const formTokenIn = (html: string) => /name="formToken" value="([\w-]{43})"/.exec(html)?.[1] ?? '';

  test('signs in, adds a domain, reads each page, decides about a sender, and signs out', async () => {
    expect((await get('/console')).headers.get('location')).toBe('/console/sign-in');
    const signedIn = await post('/console/sign-in', { token: service.token });
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console']);
    cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const formToken = formTokenIn(await (await get('/console')).text());
    const added = await post('/console/add', { formToken, domain: 'example.org', usageType: 'sends-only' });
    const path = pathOf(added);
    expect([added.status, path]).toEqual([303, expect.stringMatching(/^\/console\/domains\/[\w-]{36}$/)]);
    for (const list of ['/console', '/console/domains'])
      expect(await (await get(list)).text()).toContain(`href="${path}"`);

    const checked = await post(`${path}/checks`, { formToken });
    expect([checked.status, pathOf(checked)]).toEqual([303, path]);
    expect(await (await get(path)).text()).toContain('v=DMARC1; p=none');
    await storeReport(path.slice(-36));
    for (const view of views) expect([view, (await get(`${path}${view}`)).status]).toEqual([view, 200]);
    expect((await get(`${path}/unknown`)).status).toBe(404);

    const page = await (await get(`${path}/dmarc`)).text();
    const sender = /<tr id="sender-([^"]+)"/.exec(page)?.[1] ?? '';
    const days = { startDate: today, endDate: today };
    const decision = { formToken, [`on_${sender}`]: 'on', status: 'unauthorized', page: '1', ...days };
    const decided = await post(`${path}/dmarc`, decision);
    expect(decided.status).toBe(303);
    const shown = await (await get(decided.headers.get('location')?.split('#')[0] ?? '')).text();
    expect(shown).toContain('is now unauthorized');
    const ofSender = await (await get(`${path}/senders/${sender}`)).text();
    expect(ofSender).toContain('You marked this sender as unauthorized.');
    expect(ofSender).toContain('30 of 30 messages');
    const everywhere = `/console/senders/${sender}`;
    expect(await (await get('/console/senders')).text()).toContain(`href="${everywhere}"`);
    expect(await (await get(everywhere)).text()).toContain('Decide for this domain');
    const forAll = await post(everywhere, { formToken, status: 'forwarder', replaces: 'on' });
    expect([forAll.status, pathOf(forAll)]).toEqual([303, everywhere]);
    expect(await (await get(forAll.headers.get('location') ?? '')).text()).toContain(
      '1 of 1 domain decided.',
    );
    expect(await (await get('/console/deliveries')).text()).toContain('Nothing was sent');
    expect(await (await get('/console/search?q=example.org')).text()).toContain(`href="${path}/dmarc"`);
    const change = /name="change" value="([^"]+)"/.exec(await (await get(path)).text())?.[1] ?? '';
    const preview = await get(`${path}/preview?${new URLSearchParams({ change })}`);
    expect([preview.status, await preview.text()]).toEqual([200, expect.stringContaining('The change')]);
    const grouped = await (await get('/console/alerts')).text();
    expect(grouped).toContain('2 alerts, all unread');
    expect(grouped.match(/id="alert-/g)).toHaveLength(1);
    expect((await (await get('/console/alerts?each=true')).text()).match(/id="alert-/g)).toHaveLength(2);
    const newest =
      /name="newest" value="([^"]+)"/.exec(await (await get('/console/alerts')).text())?.[1] ?? '';
    expect((await post('/console/alerts', { formToken, newest })).status).toBe(303);
    expect(await (await get('/console/alerts?unread=true')).text()).toContain('No alert matches');
    const audit = await fetch(`${service.url}/api/v1/audit`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    expect(((await audit.json()) as { data: { action: string }[] }).data.map(({ action }) => action)).toEqual(
      [
        'markAlertsRead',
        'markAlertsRead',
        'decideForDomains',
        'updateSenders',
        'runChecks',
        'createDomain',
        'createToken',
      ],
    );

    for (const all of ['/console/changes', '/console/report', '/console/ownership?format=csv'])
      expect([all, (await get(all)).status]).toEqual([all, 200]);
    const selected = { formToken, [`on_${path.slice(-36)}`]: 'on', list: 'sort=domain' };
    for (const [many, more, says] of [
      ['update', { do: 'tag', tag: 'many' }, '1 of 1 domain changed.'],
      ['verify', {}, '0 of 1 domain verified.'],
      ['check', {}, '1 of 1 domain checked.'],
    ] as const) {
      const sent = await post(`/console/domains/${many}`, { ...selected, ...more });
      expect([many, sent.status, pathOf(sent)]).toEqual([many, 303, '/console/domains?sort=domain']);
      expect(await (await get(sent.headers.get('location') ?? '')).text()).toContain(says);
    }
    const saved = await post('/console/views', { formToken, name: 'Tagged', query: 'tag=many' });
    expect(pathOf(saved)).toBe('/console/domains?tag=many');
    expect(await (await get('/console/domains')).text()).toContain('>Tagged</a>');

    const signedOut = await post('/console/sign-out', { formToken });
    expect([signedOut.status, signedOut.headers.get('location')]).toEqual([303, '/console/sign-in']);
    expect((await get('/console')).status).toBe(303);
  });

  test('finds the console outside of the OpenAPI document', async () => {
    const document = await (await fetch(`${service.url}/api/openapi.json`)).text();
    expect(document).not.toContain('"/console');
  });
});

describeWith(missingForChromium(), 'Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function signInOn(page: Page, url: string, heading: string): Promise<void> {
    await page.goto(url);
    await page.getByLabel('API token').fill(service.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }

  test('signs in by the link of an operator, and leads to every page without JavaScript', async () => {
    const { output } = await runToEnd('admin.ts', ['console', 'default'], { DATA_DIR: service.dataDir });
    const { page, context, complaints } = await openTab(browser, { javaScriptEnabled: false });
    await page.goto(output.trim());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByRole('link', { name: 'Add domains' }).click();
    await page.getByLabel('Domain', { exact: true }).fill('added.example');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'added.example' }).waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).first().click();
    await page.getByRole('link', { name: 'example.org' }).click();
    for (const name of ['DMARC reports', 'Enforcement', 'TLS reports', 'History', 'Overview']) {
      await page.getByRole('link', { name, exact: true }).first().click();
      await page.locator(`.views [aria-current]`, { hasText: name }).waitFor();
    }
    await page.getByRole('search').getByLabel('Search').fill('EXAMPLE.org');
    await page.getByRole('search').getByRole('button').click();
    await page.getByRole('heading', { name: 'Domains' }).waitFor();
    expect(await page.getByRole('link', { name: 'example.org', exact: true }).count()).toBe(1);
    await page.getByRole('link', { name: /^Alerts/ }).click();
    await page.getByText('DMARC changed').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.goto(`${service.url}/console`);
    await page.getByLabel('API token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('is used by keys, except while the reader types, until they are turned off', async () => {
    const { page, context, complaints } = await openTab(browser);
    const focused = () =>
      page.evaluate<string>('document.activeElement.id || document.activeElement.textContent');
    await signInOn(page, `${service.url}/console/settings`, 'Settings');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    const names = await page.locator('.domains tbody th a').allTextContents();
    await page.keyboard.press('j');
    expect(await focused()).toBe(names[0]);
    await page.keyboard.press('j');
    expect(await focused()).toBe(names[1]);
    await page.keyboard.press('k');
    await page.keyboard.press('Control+j');
    expect(await focused()).toBe(names[0]);
    await page.keyboard.press('/');
    expect(await focused()).toBe('find');
    await page.keyboard.type('g?/jk');
    expect(await page.locator('#find').inputValue()).toBe('g?/jk');
    await page.locator('h1').click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.evaluate(axe.source);
    expect((await page.evaluate<AxeResults>('axe.run()')).violations).toEqual([]);
    await page.getByRole('button', { name: 'Turn the keys off' }).click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    expect(await focused()).not.toBe('find');
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Turn the keys on' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('/');
    expect(await focused()).toBe('find');
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('shows 20 domains at once on a screen of 1,440 by 900 pixels', async () => {
    const domains = Array.from({ length: 30 }, (_, n) => ({
      ...{ domain: `customer-${n}.example.com`, usageType: 'parked', tags: ['customer', `n${n}`] },
    }));
    const added = await fetch(`${service.url}/api/v1/domains/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ domains }),
    });
    expect(added.ok).toBe(true);
    const { page, context, complaints } = await openTab(browser, { viewport: { width: 1440, height: 900 } });
    await signInOn(page, `${service.url}/console`, 'Today');
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    const rows = await page.evaluate<number>(
      `[...document.querySelectorAll('.domains tbody tr')].filter((row) => row.getBoundingClientRect().bottom <= 900).length`,
    );
    expect(rows).toBeGreaterThanOrEqual(20);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test.each([
    ['without JavaScript', false],
    ['with JavaScript', true],
  ])('confirms who it is to create a token, and signs out everywhere, %s', async (_how, isOn) => {
    const { page, context, complaints } = await openTab(browser, {
      javaScriptEnabled: isOn,
      viewport: { width: 320, height: 740 },
    });
    // Browsers treat loopback addresses like localhost.
    await signInOn(page, `${service.url.replace('localhost', '127.0.0.1')}/console/settings`, 'Settings');
    await ageProofs();
    await page.getByLabel('What it is for').fill(`Export ${isOn}`);
    await page.getByLabel('Scope').selectOption('write');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Confirm that it is you' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    if (isOn) {
      await page.evaluate(axe.source);
      expect((await page.evaluate<AxeResults>('axe.run()')).violations).toEqual([]);
    }
    await page.getByLabel('API token or sign-in link').fill(service.token);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText(`The token Export ${isOn} is created.`).waitFor();
    const card = page.locator('.card', { has: page.getByRole('heading', { name: `Export ${isOn}` }) });
    expect(await card.locator('.tag').textContent()).toBe('write');
    // The secret is there once, and loading the page again makes no second token.
    const secret = await page.locator('#secret').innerText();
    expect(await page.evaluate('document.activeElement.id')).toBe('told');
    await page.reload();
    expect(await page.content()).not.toContain(secret);
    expect(await page.getByRole('heading', { name: `Export ${isOn}` }).count()).toBe(1);
    await page.goBack();
    await page.goForward();
    expect(await page.content()).not.toContain(secret);
    await page.getByLabel('IP addresses and networks').fill('nowhere');
    await page.getByLabel('What it is for').fill('Refused');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.title()).toMatch(/^Error: /);
    expect(await page.evaluate('document.activeElement.id')).toBe('told');
    expect(await page.getByLabel('What it is for').inputValue()).toBe('Refused');
    await page.getByRole('alert').getByRole('link').click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);

    await page.locator('tr', { hasText: 'this session' }).getByText('HeadlessChrome').waitFor();
    await page.getByRole('link', { name: 'Sign out everywhere' }).click();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.goto(`${service.url}/console`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  /** Makes all sessions as if their people had signed in an hour ago. */
  async function ageProofs(): Promise<void> {
    const table = await serviceTable(service);
    try {
      const sessions = await table.query(startingWith(sessionsOf('SESSION', 'default')), keyItem);
      for (const key of sessions)
        await table.update(key, {
          UpdateExpression: 'SET authenticatedAt = :then',
          ExpressionAttributeValues: { ':then': new Date(Date.now() - 3_600_000).toISOString() },
        });
    } finally {
      await table.stop();
    }
  }
});
