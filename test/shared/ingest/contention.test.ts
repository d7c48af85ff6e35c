/** Reports of one day, stored by many workers at once: none makes another one try again. */
import { expect, test } from '@jest/globals';
import { ingestReportMail } from '../../../shared/ingest/ingest-mail.ts';
import { readFile } from '../../../shared/reports/read-mail.ts';
import { reportStores } from '../../../shared/runtime/dependencies/report-stores.ts';
import { counted } from '../../kit/capacity.ts';
import { dmarcXml, yesterday } from '../../kit/report-mails.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';

const WORKERS = 200;
const REPORTERS = 5;
const DAY_SECONDS = 86_400;

const table = await useTable();

test('200 workers need no more requests for each report than one worker does', async () => {
  const domain = await registeredDomain(table);
  const { table: measured, capacity } = counted(table);
  const stores = reportStores(measured, { retentionDays: 0 });

  /** Ingests a mail of one of the reporters, who all name the same selector, so many days after the first one. */
  async function ingest(n: number, day: number): Promise<void> {
    const now = new Date((yesterday + (day + 1) * DAY_SECONDS) * 1000);
    const reporter = `reporter${n % REPORTERS}.test`;
    const xml = dmarcXml({
      domain: domain.domain,
      id: `r${n}`,
      reporter,
      begin: yesterday + day * DAY_SECONDS,
    });
    const readings = await readFile('report.xml', Buffer.from(xml), { now });
    const messageId = `m${day}-${n}`;
    await ingestReportMail(
      { messageId, receivedAt: now, rawKey: `raw/${messageId}`, alsoFor: [] },
      readings,
      {
        authentication: { authenticated: true, fromDomain: reporter, spf: null, dkim: [] },
        head: { from: null, subject: null },
      },
      { domain, unauthenticated: 'count' },
      { stores, now },
    );
  }

  // Each reporter is known then; a week later, its reports are noted again.
  for (let n = 0; n < REPORTERS; n += 1) await ingest(n, 0);
  const start = capacity.calls();
  for (let n = 0; n < WORKERS; n += 1) await ingest(n, 7);
  const byOne = capacity.calls() - start;
  await Promise.all(Array.from({ length: WORKERS }, (_, n) => ingest(n, 14)));
  const byAll = capacity.calls() - start - byOne;
  expect([byOne, byAll]).toEqual([2 * WORKERS, 2 * WORKERS]);
  const { summary } = await stores.dmarcReports.list(
    domain.id,
    { window: {}, page: 1, limit: 1 },
    new Date(),
  );
  expect(summary.reports).toBe(REPORTERS + 2 * WORKERS);
});
