import { expect, test } from '@jest/globals';
import { reportedUse } from '../../../shared/monitoring/reported-use.ts';
import type { DmarcRecordRow } from '../../../shared/reports/report.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../../shared/store/reports/summaries.ts';
import { arrival, dmarcReport, registeredDomain, row, storeDmarc } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-03-10T00:00:00Z');

const signed = (count: number, ...selectors: readonly string[]): DmarcRecordRow =>
  row({
    count,
    dkimResults: selectors.map((selector) => ({ domain: 'example.org', result: 'pass', selector })),
  });

const signedBy = (name: string, count: number): DmarcRecordRow =>
  row({ count, dkimResults: [{ domain: name, result: 'pass', selector: 's1' }] });

async function stored(
  day: string,
  authenticatedDomain: string,
  rows: readonly DmarcRecordRow[],
  policyDomain = 'example.org',
) {
  const given = { reportId: `${day} ${authenticatedDomain} ${policyDomain}`, policyDomain };
  await storeDmarc(store(), domain, dmarcReport(`${day}T00:00:00Z`, rows, given), now, {
    arrival: { ...arrival, authenticatedDomain },
  });
}

const store = () => dmarcReportStore(table, { retentionDays: 0 });

const table = await useTable();
const domain = await registeredDomain(table);
await stored('2026-03-01', 'google.com', [
  signed(4000, 's1'),
  signed(100, 'S1', 's1'),
  signed(7, 's2'),
  row({ count: 90, dkimResults: [{ domain: 'example.org', result: 'fail', selector: 's1' }] }),
  signedBy('other.example', 90),
]);
await stored('2026-03-01', 'enterprise.protection.microsoft.com', [signed(20, 's1')]);
await stored('2026-03-01', 'forger.example', [signed(1_000_000, 's1')]);
await stored(
  '2026-03-01',
  'google.com',
  [signed(800, 's1'), signedBy('sub.example.org', 900)],
  'sub.example.org',
);
await stored('2026-02-28', 'google.com', [signed(500, 's1'), signed(30, 's3')]);

const used = async (at: Date, ...selectors: readonly string[]) => {
  const use = await reportedUse(domain, selectors, summaryStore(table), at);
  return { ...Object.fromEntries(use.selectors), isReporting: use.isReporting };
};

test('counts messages that the domain signed, by large receivers, and says when they last saw some', async () => {
  expect(await used(now, 's1', 's2', 's3', 's9')).toEqual({
    s1: { passed: 5420, failed: 90, last: '2026-03-01', lastPassed: '2026-03-01' },
    s2: { passed: 7, failed: 0, last: '2026-03-01', lastPassed: '2026-03-01' },
    s3: { passed: 30, failed: 0, last: '2026-02-28', lastPassed: '2026-02-28' },
    isReporting: false,
  });
});

test('counts the same after the days were rolled up, and nothing of earlier than 30 days', async () => {
  const before = await used(now, 's1', 's2', 's3');
  for (const day of ['2026-02-28', '2026-03-01']) {
    const rollUp = { kind: 'DMARC', day, earlier: false } as const;
    await summaryStore(table).rollUp(domain, rollUp, { now, hasTime: () => true });
  }
  expect(await used(now, 's1', 's2', 's3')).toEqual(before);
  expect(await used(new Date('2026-03-31T12:00:00Z'), 's1', 's3')).toMatchObject({ s1: { passed: 4920 } });
  expect(await used(new Date('2026-04-01T12:00:00Z'), 's1')).toEqual({ isReporting: false });
});

test('says whether large receivers reported in both halves of these days', async () => {
  await stored('2026-03-20', 'google.com', [signed(1, 's5')]);
  await stored('2026-03-21', 'forger.example', [signed(1, 's1')]);
  expect(await used(new Date('2026-03-22T00:00:00Z'), 's1')).toMatchObject({ isReporting: true });
  expect(await used(new Date('2026-04-05T00:00:00Z'), 's1')).toMatchObject({ isReporting: false });
});
