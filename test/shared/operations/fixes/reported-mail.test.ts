/** What the reports about a domain show of its mail. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { UsageType } from '../../../../shared/checks/state.ts';
import { noReportedMail } from '../../../../shared/fixes/facts.ts';
import { reportedMail } from '../../../../shared/operations/fixes/reported-mail.ts';
import type { DmarcRecordRow } from '../../../../shared/reports/report.ts';
import type { Domain } from '../../../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../../../shared/store/reports/summaries.ts';
import { arrival, dmarcReport, registeredDomain, row } from '../../../kit/reports.ts';
import type { EmptyTable } from '../../../kit/table.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-03-31T12:00:00Z');
const failed = { dkim: 'fail', spf: 'fail', dkimResults: [], spfResults: [] } as const;

let table: EmptyTable;
let domain: Domain;

beforeEach(async () => {
  table = await useTable({ now: () => now });
  domain = await registeredDomain(table);
});

async function receive(day: string, rows: readonly Partial<DmarcRecordRow>[], authenticated = true) {
  const { header, identity, ...report } = dmarcReport(day, rows.map(row), {
    reportId: `${day} ${authenticated}`,
  });
  const store = dmarcReportStore(table, { retentionDays: 0 });
  const writer = store.begin(domain, header, { identity, arrival: { ...arrival, authenticated } });
  writer.add(report.rows);
  await writer.commit(now);
}

const shown = (usageType: UsageType = 'parked') =>
  reportedMail(
    { ...domain, usageType },
    { reports: dmarcReportStore(table, { retentionDays: 0 }), summaries: summaryStore(table) },
    now,
  );

describe('a parked domain', () => {
  test('without reports has none', async () => {
    expect(await shown()).toEqual(noReportedMail);
  });

  test('with a report of failing mail is reported, and has no mail of its own', async () => {
    await receive('2026-03-29', [failed]);
    expect(await shown()).toMatchObject({
      isReported: true,
      isAuthenticated: false,
      isFromSubdomains: false,
    });
  });

  test('whose last authenticated report is older than 30 days is not reported', async () => {
    await receive('2026-02-20', [failed]);
    await receive('2026-03-29', [failed], false);
    expect(await shown()).toMatchObject({ isReported: false });
  });

  test('has mail if a report of the last year shows a pass', async () => {
    await receive('2025-06-01', [{}]);
    expect(await shown()).toMatchObject({ isAuthenticated: true, isReported: false });
  });

  test('has no mail if only a report that is not authenticated shows a pass', async () => {
    await receive('2025-06-01', [{}], false);
    await receive('2025-06-02', [failed]);
    expect(await shown()).toMatchObject({ isAuthenticated: false });
    await receive('2025-07-01', [{}]);
    expect(await shown()).toMatchObject({ isAuthenticated: true });
  });

  test('has mail of a subdomain only if an authenticated report shows it', async () => {
    await receive('2026-03-29', [{ ...failed, headerFrom: 'news.example.org' }], false);
    expect(await shown()).toMatchObject({ isFromSubdomains: false });
    await receive('2026-03-28', [{ ...failed, headerFrom: 'news.example.org' }]);
    expect(await shown()).toMatchObject({ isFromSubdomains: true });
  });
});

test('for a domain that sends mail, nothing is read', async () => {
  await receive('2026-03-29', [{}]);
  expect(await shown('sends-and-receives')).toEqual(noReportedMail);
});
