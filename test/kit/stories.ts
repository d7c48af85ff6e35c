/**
 * What people do in the console, as stories that a browser plays: each with as many clicks and filled fields as it takes. A
 * newcomer has nothing; a provider has 300 domains; an owner has the data of `demo`.
 */
import type { Browser, Locator, Page } from 'playwright-core';
import type { AlertDraft } from '../../shared/alerts/alert.ts';
import type { ShownChange } from '../../shared/alerts/shown-change.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import type { Table } from '../../shared/store/table.ts';
import { openTab } from './browser.ts';
import { storeDirectory, storeDomain } from './large-organization.ts';
import type { BootedService } from './service.ts';
import { runToEnd } from './service.ts';
import { serviceTable } from './service-table.ts';

/** What a person does to a page, counted. */
interface Hand {
  readonly page: Page;
  click(on: Locator): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
  /** The heading of the page that the person waits for. */
  sees(heading: string | RegExp): Promise<void>;
}

type Person = 'newcomer' | 'provider' | 'owner';

export interface Story {
  readonly name: string;
  readonly who: Person;
  /** Where it begins: signed in, apart from the newcomer. */
  readonly from: string;
  readonly clicks: number;
  readonly fields: number;
  /** What the service and the browser take at most on a machine with two cores, without the time that a person needs. */
  readonly seconds: number;
  tell(hand: Hand, width: number): Promise<void>;
}

const PROVIDER_DOMAINS = 300;

const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true });
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
/** In the menu, where a number can follow the name. */
const place = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: new RegExp(`^${name}`) });

export const stories: readonly Story[] = [
  {
    ...{ name: 'A newcomer signs in, adds a domain, checks it, and copies the record of the first fix' },
    ...{ who: 'newcomer', from: '/console', clicks: 4, fields: 2, seconds: 3 },
    async tell({ page, click, fill, sees }) {
      await fill(page.getByLabel('API token'), tokens.get('newcomer') ?? '');
      await click(button(page, 'Sign in'));
      await fill(page.getByLabel('Domain', { exact: true }), 'weak.test');
      await click(button(page, 'Add'));
      await sees('weak.test');
      await click(button(page, 'Check now'));
      await sees('Fix next');
      await click(page.locator('#fix ~ ul').getByRole('button', { name: 'Copy records' }).first());
      await page.getByRole('button', { name: 'Copied' }).waitFor();
    },
  },
  {
    ...{ name: 'Of 300 domains, a provider sees the ten with the lowest scores' },
    ...{ who: 'provider', from: '/console', clicks: 1, fields: 0, seconds: 1 },
    async tell({ page, click, sees }) {
      await click(place(page, 'Domains'));
      await sees('Domains');
      const cells = await page.locator('.domains tbody tr td:nth-child(3)').allTextContents();
      const scores = cells.slice(0, 10).map((text) => Number(text.split(' ')[1]));
      if (scores.some((score, at) => score > (scores[at + 1] ?? 100)))
        throw new Error(`not the lowest: ${scores}`);
    },
  },
  {
    ...{ name: 'A provider saves the domains with a tag as CSV' },
    ...{ who: 'provider', from: '/console', clicks: 3, fields: 1, seconds: 2 },
    async tell({ page, click, fill, sees }) {
      await click(place(page, 'Domains'));
      await sees('Domains');
      await fill(page.locator('form[role=search] [name=tag]'), 'customer:2');
      await click(button(page, 'Show'));
      await page.getByText(/^1–\d+ of \d$/).waitFor();
      const download = page.waitForEvent('download');
      await click(link(page, 'Save as CSV'));
      await download;
    },
  },
  {
    ...{ name: 'A provider sees what changed in this week' },
    ...{ who: 'provider', from: '/console', clicks: 1, fields: 0, seconds: 1 },
    async tell({ page, click, sees }) {
      await click(place(page, 'Changes'));
      await sees('Changes');
      await page.getByText('v=DMARC1; p=none').first().waitFor({ state: 'attached' });
    },
  },
  {
    ...{ name: 'A provider verifies all 300 domains, in steps of 100' },
    ...{ who: 'provider', from: '/console/domains', clicks: 4, fields: 0, seconds: 5 },
    async tell({ page, click }) {
      await click(page.getByLabel(`all ${PROVIDER_DOMAINS} domains`));
      await click(button(page, 'Verify'));
      await click(button(page, 'Go on with 200 domains'));
      await click(button(page, 'Go on with 100 domains'));
      await page.getByText(/of 100 domains verified\.$/).waitFor();
    },
  },
  {
    ...{ name: 'An owner decides about the sender with the most mail of a domain' },
    ...{ who: 'owner', from: '/console', clicks: 4, fields: 0, seconds: 3 },
    async tell({ page, click, sees }) {
      await click(place(page, 'Domains'));
      await click(link(page, 'weak.test'));
      await click(link(page, 'DMARC reports'));
      await sees('Senders');
      await click(page.getByRole('button', { name: /^Unauthorized: / }).first());
      await page.getByText('is now unauthorized').waitFor();
      // For the next width.
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('is now without a decision').waitFor();
    },
  },
  {
    ...{ name: 'An owner goes from an alert to what it is about' },
    ...{ who: 'owner', from: '/console', clicks: 2, fields: 0, seconds: 1 },
    async tell({ page, click, sees }) {
      await click(place(page, 'Alerts'));
      await sees('Unread warnings, and worse');
      await click(page.locator('.alerts li', { hasText: 'Score below 70' }).first().locator('a.button'));
      await sees('Fix next');
    },
  },
];

/** The API tokens of people. */
const tokens = new Map<Person, string>();

/** Stores what the people of the stories have. */
export async function prepareStories(service: BootedService): Promise<void> {
  const demo = await runToEnd('admin.ts', ['demo'], { DATA_DIR: service.dataDir, RETENTION_DAYS: '40' });
  if (demo.code !== 0) throw new Error(demo.output);
  const table = await serviceTable(service);
  const now = new Date();
  try {
    tokens.set('owner', service.token);
    const { id, token } = await newOrganization(table);
    tokens.set('provider', token);
    await storeProvider(id);
    const domain = await domainStore(table).named('default', 'weak.test');
    if (domain === undefined) throw new Error('the demo has no weak.test');
    const draft: AlertDraft = {
      ...{ type: 'score_threshold', severity: 'warning', title: 'Score below 70', message: 'It is 24.' },
      metadata: { threshold: 70, previousScore: 80, newScore: 24, direction: 'below' },
    };
    const writes = await alertStore(table, { retentionDays: 40 }).writesOf(domain, [draft], now);
    await table.transact(writes);
  } finally {
    await table.stop();
  }

  async function storeProvider(organization: string): Promise<void> {
    const day = now.toISOString().slice(0, 10);
    const rows = await storeDirectory(table, organization, PROVIDER_DOMAINS, day, 'test');
    for (const row of rows) await storeDomain(table, organization, row);
    const [first] = rows;
    if (first === undefined) throw new Error('no domains');
    const change: ShownChange = {
      ...({ check: 'dmarc', previousState: 'pass', newState: 'warning', omitted: 0 } as const),
      ...{ recordsAdded: ['v=DMARC1; p=none'], recordsRemoved: [], findingsAdded: [], findingsRemoved: [] },
    };
    const writes = historyStore(table, { retentionDays: 40 }).writesOf(first.id, {
      checks: { at: new Date(now.getTime() - 3_600_000).toISOString(), changes: [change] },
      listed: { organization, id: first.id, domain: first.domain, scoreBefore: 80, scoreAfter: 70 },
    });
    await table.transact(writes);
  }
}

/** An organization without domains, and a token of it. */
async function newOrganization(table: Table): Promise<{ readonly id: string; readonly token: string }> {
  const now = new Date();
  const { id } = await organizationStore(table).create('Story', now);
  const { token } = await organizationStore(table).createToken(id, { name: 'story', label: 'svc' }, now);
  return { id, token };
}

export interface Told {
  readonly clicks: number;
  readonly fields: number;
  /** From the page with which the story begins to its end, without the time that a person needs. */
  readonly seconds: number;
}

/** Plays a story in a window of a width. */
export async function tell(
  story: Story,
  { browser, service, width }: { browser: Browser; service: BootedService; width: number },
): Promise<Told> {
  const { page, context } = await openTab(browser, {
    viewport: { width, height: 900 },
    ...{ locale: 'en-GB', timezoneId: 'UTC', permissions: ['clipboard-write'] },
  });
  let [clicks, fields] = [0, 0];
  try {
    if (story.who === 'newcomer') {
      const table = await serviceTable(service);
      tokens.set('newcomer', (await newOrganization(table)).token);
      await table.stop();
    } else {
      await page.goto(`${service.url}/console/sign-in`);
      await page.getByLabel('API token').fill(tokens.get(story.who) ?? '');
      await button(page, 'Sign in').click();
      await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    }
    await page.goto(`${service.url}${story.from}`);
    const started = performance.now();
    const hand: Hand = {
      page,
      async click(on) {
        clicks += 1;
        await on.click();
      },
      async fill(field, text) {
        fields += 1;
        await field.fill(text);
      },
      sees: (name) => page.getByRole('heading', { name, exact: true }).first().waitFor(),
    };
    await story.tell(hand, width);
    return { clicks, fields, seconds: (performance.now() - started) / 1000 };
  } finally {
    await context.close();
  }
}
