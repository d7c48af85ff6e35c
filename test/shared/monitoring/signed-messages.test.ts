import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signedMessages } from '../../../shared/monitoring/signed-messages.ts';
import type { DmarcRecordRow } from '../../../shared/reports/report.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { arrival, dmarcReport, registeredDomain, row } from '../../kit/reports.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';

const now = new Date('2026-03-10T00:00:00Z');

let table: EmptyTable;
let domain: Domain;
beforeAll(async () => {
  table = await emptyTable();
  domain = await registeredDomain(table);
  await stored('2026-03-01', 'google.com', [
    signed(4000, 's1'),
    signed(100, 'S1', 's1'),
    signed(7, 's2'),
    row({ count: 90, dkimResults: [{ domain: 'example.org', result: 'fail', selector: 's1' }] }),
    row({ count: 90, dkimResults: [{ domain: 'other.example', result: 'pass', selector: 's1' }] }),
  ]);
  await stored('2026-03-01', 'enterprise.protection.microsoft.com', [signed(20, 's1')]);
  await stored('2026-03-01', 'forger.example', [signed(1_000_000, 's1')]);
  await stored('2026-02-28', 'google.com', [signed(500, 's1'), signed(30, 's3')]);
});
afterAll(() => table.stop());

const signed = (count: number, ...selectors: readonly string[]): DmarcRecordRow =>
  row({
    count,
    dkimResults: selectors.map((selector) => ({ domain: 'example.org', result: 'pass', selector })),
  });

async function stored(day: string, authenticatedDomain: string, rows: readonly DmarcRecordRow[]) {
  const given = { reportId: `${day} ${authenticatedDomain}` };
  const { header, identity } = dmarcReport(`${day}T00:00:00Z`, rows, given);
  const writer = store().begin(domain, header, {
    identity,
    arrival: { ...arrival, authenticatedDomain },
  });
  writer.add(rows);
  await writer.commit(now);
}

const store = () => dmarcReportStore(table, { retentionDays: 0 });

const counted = async (...uses: readonly (readonly [selector: string, day: string])[]) =>
  Object.fromEntries(
    await signedMessages(
      domain,
      uses.map(([selector, day]) => ({ selector, day })),
      store(),
      now,
    ),
  );

test('counts messages with a valid signature of the domain, by large receivers, on the last day of a selector', async () => {
  expect(await counted(['s1', '2026-03-01'], ['s3', '2026-02-28'])).toEqual({ s1: 4120, s3: 30 });
});

test('says nothing about selectors that no report of the day names, and reads the latest three days only', async () => {
  expect(await counted(['s9', '2026-03-01'], ['s3', '2026-03-01'])).toEqual({});
  const later = ['2026-03-02', '2026-03-03', '2026-03-04'].map((day) => ['s1', day] as const);
  expect(await counted(['s1', '2026-03-01'], ...later)).toEqual({});
});

test('stops before reports with more rows than it may read', async () => {
  const rows = Array.from({ length: 5001 }, () => signed(1, 's4'));
  await stored('2026-03-05', 'google.com', rows);
  expect(await counted(['s4', '2026-03-05'])).toEqual({});
});
