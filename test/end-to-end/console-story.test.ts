/** What a new user does in the console, in a real browser: from the first start to the first alert. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { sampleReports } from '../../lib/admin/demo/sample-reports.ts';
import { sampleDomains } from '../../lib/admin/demo/senders.ts';
import { LOCAL_SENDER } from '../../lib/admin/send-test.ts';
import { sendTestMessage } from '../../lib/admin/smoke/send-message.ts';
import { adminInProcess } from '../kit/admin.ts';
import { launchChromium, missingForChromium, openTab } from '../kit/browser.ts';
import { describeWith } from '../kit/describe-with.ts';
import { publishTxt } from '../kit/example-internet.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const DOMAIN = 'weak.test';
const REPORTS = 3;

describeWith(missingForChromium(), 'a new user in Chromium', () => {
  let service: BootedService;
  let browser: Browser;

  beforeAll(async () => {
    service = await bootService({ TOOL_RATE_PER_MINUTE: '0' });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.remove();
  });

  /** Replaces the TXT records of a name on the example internet. */
  const publish = (name: string, value: string) => publishTxt(service, name, value, 'PUT');

  async function sendReports(mailbox: string): Promise<void> {
    const sample = sampleDomains.find(({ domain }) => domain === DOMAIN);
    if (sample === undefined) throw new Error(`no sample reports about ${DOMAIN}`);
    const reports = [...sampleReports(sample, new Date())].filter(({ name }) => name.endsWith('.xml'));
    for (const { name, bytes } of reports.slice(-REPORTS)) {
      await sendTestMessage(
        { host: '127.0.0.1', port: service.smtpPort },
        {
          ...{ from: LOCAL_SENDER, mailFrom: LOCAL_SENDER, to: mailbox, subject: `Report Domain: ${DOMAIN}` },
          content: { type: `text/xml; name="${name}"`, text: bytes.toString() },
        },
      );
    }
  }

  const heading = (page: Page, name: string): Locator => page.getByRole('heading', { name, exact: true });

  /** The score after the check run that a press of the button starts. */
  async function scoreOfCheck(page: Page): Promise<number> {
    const shown = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Check now' }).click();
    await shown;
    return Number(
      await page.locator('.verdict p', { hasText: 'of 100 points' }).locator('strong').textContent(),
    );
  }

  test('adds and verifies a domain, repairs it, gets reports, simulates a policy, reads an alert, and signs out', async () => {
    const { page, complaints } = await openTab(browser);
    const link = await adminInProcess(['console', 'default'], { DATA_DIR: service.dataDir });
    await page.goto(link.output.trim());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Three steps to your first result').waitFor();
    await page.getByLabel('Domain', { exact: true }).fill(DOMAIN);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: DOMAIN }).waitFor();

    const value = (await page.locator('#step-ownership').innerText()).trim();
    await publish(`_svc.${DOMAIN}`, value);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('button', { name: 'Verify' }).waitFor({ state: 'detached' });
    const weak = await scoreOfCheck(page);
    await heading(page, 'Fix next').waitFor();
    await page.locator('.later > summary').click();

    const repaired = async (name: string) => {
      const card = page.locator('#fix ~ * .card, #fix ~ ul > .card', {
        has: page.getByRole('heading', { name: ` TXT ${name}` }),
      });
      return (await card.locator('[id^=after] code').first().innerText()).trim();
    };
    const dmarc = await repaired(`_dmarc.${DOMAIN}`);
    await publish(`_dmarc.${DOMAIN}`, dmarc);
    await publish(`_smtp._tls.${DOMAIN}`, await repaired(`_smtp._tls.${DOMAIN}`));
    await page.reload();
    await heading(page, 'Waiting for reports').waitFor();
    const better = await scoreOfCheck(page);
    expect(better).toBeGreaterThan(weak);
    const told = await page.locator('#told').innerText();
    // A scheduled run can come first.
    expect([
      `Checked. Score ${weak} -> ${better} (+${better - weak}).`,
      `Checked. The score is still ${better}.`,
    ]).toContain(told);

    await page.getByRole('link', { name: 'DMARC reports' }).click();
    await heading(page, 'No DMARC reports in this window').waitFor();
    await sendReports(/mailto:([^,;\s]+@reports\.[^,;\s]+)/.exec(dmarc)?.[1] ?? '');
    await until(async () => {
      await page.reload();
      return (await page.getByText(`in ${REPORTS} reports`).count()) > 0;
    });
    await heading(page, 'Messages per day').waitFor();

    await page.getByRole('link', { name: 'Enforcement', exact: true }).click();
    await page.getByLabel('DMARC record').fill('v=DMARC1; p=reject');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await heading(page, 'Your records, simulated').waitFor();

    await page.getByRole('link', { name: 'Alerts', exact: true }).click();
    await page.getByText(`New DMARC reporter: ${DOMAIN}`).first().waitFor();
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Only unread' }).click();
    await page.getByText('No alert matches').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.goto(`${service.url}/console/alerts`);
    await page.getByText('your session has ended').waitFor();
    expect(complaints).toEqual([]);
  });
});
