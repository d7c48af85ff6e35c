/** A report whose commit something else comes before: what the outcome is, and that no rows are left without a report. */
import { describe, expect, test } from '@jest/globals';
import { type Domain, domainStore } from '../../../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../../../shared/store/reports/dmarc-reports.ts';
import type { Table } from '../../../../shared/store/table.ts';
import {
  arrival,
  type DmarcSample,
  dmarcReport,
  itemsOf,
  noisyRows,
  registeredDomain,
  row,
  storeDmarc,
} from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = arrival.receivedAt;

const table = await useTable();
const reports = dmarcReportStore(table, { retentionDays: 0 });

const everything = { window: {}, page: 1, limit: 100 };
const monday = '2026-02-23T00:00:00Z';

/** The keys of the rows beside the reports of a domain, without the id of their report, which depends on the domain. */
const chunksOf = async (domain: Domain) =>
  (await itemsOf(table, domain)).flatMap(({ sk }) =>
    String(sk).startsWith('DMARCROWS#') ? [String(sk).split('#').slice(2).join('#')] : [],
  );

describe('a report with chunks of rows that something else comes before while it is stored', () => {
  const [sample, other] = [dmarcReport(monday, noisyRows(1000)), dmarcReport(monday, noisyRows(1000))];
  const others = dmarcReport(monday, [row()], { reportId: 'another of the day' });

  test.each<[string, string, (domain: Domain) => Promise<unknown>]>([
    ['another report of its identity', 'conflict', (domain) => storeDmarc(reports, domain, other)],
    ['its deletion', 'deleted', (domain) => storedAndDeleted(domain)],
    ['the removal of its domain', 'domain-gone', (domain) => domainStore(table).remove(domain, now)],
    ['another report of the same day', 'stored', (domain) => storeDmarc(reports, domain, others)],
  ])('leaves no rows that belong to none: %s', async (_what, status, comesBefore) => {
    const domain = await registeredDomain(table);
    let transactions = 0;
    const overtaken: Table = {
      ...table,
      async tryTransact(writes) {
        transactions += 1;
        if (transactions === 1) await comesBefore(domain);
        return table.tryTransact(writes);
      },
    };
    const store = dmarcReportStore(overtaken, { retentionDays: 0 });
    expect((await storeDmarc(store, domain, sample)).status).toBe(status);
    const alone = await registeredDomain(table);
    const kept = { conflict: other, stored: sample }[status];
    if (kept !== undefined) await storeDmarc(reports, alone, kept);
    expect(await chunksOf(domain)).toEqual(await chunksOf(alone));
  });

  async function storedAndDeleted(domain: Domain): Promise<void> {
    const { id } = await storeDmarc(reports, domain, other);
    expect(await reports.remove(domain, { id, window: {} }, now)).toMatchObject({ isRemoved: true });
  }
});

describe('another reading of the same message', () => {
  const [first, second, third] = [1000, 1200, 800].map((count) => dmarcReport(monday, noisyRows(count))) as [
    DmarcSample,
    DmarcSample,
    DmarcSample,
  ];

  const replace = (domain: Domain, sample: DmarcSample, on: Table = table) =>
    storeDmarc(dmarcReportStore(on, { retentionDays: 0 }), domain, sample, now, { mayReplace: true });

  /** Expects that the domain has this report only, with its rows and nothing else beside it. */
  async function expectOnly(domain: Domain, sample: DmarcSample) {
    const alone = await registeredDomain(table);
    await storeDmarc(reports, alone, sample);
    expect(await chunksOf(domain)).toEqual(await chunksOf(alone));
    const kept = await itemsOf(table, domain);
    expect(kept.filter(({ sk }) => String(sk).startsWith('DMARCCONFLICT#'))).toEqual([]);
    const { summary } = await reports.list(domain.id, everything, now);
    expect(summary).toEqual({ reports: 1, passed: sample.rows.length, failed: 0 });
  }

  test('replaces a report with all of its rows, also if it was a conflict before', async () => {
    const domain = await registeredDomain(table);
    await storeDmarc(reports, domain, first);
    expect((await storeDmarc(reports, domain, second)).status).toBe('conflict');
    expect((await replace(domain, second)).status).toBe('stored');
    await expectOnly(domain, second);
  });

  test('reads the report again that another one replaced meanwhile', async () => {
    const domain = await registeredDomain(table);
    await storeDmarc(reports, domain, first);
    let reads = 0;
    const slow: Table = {
      ...table,
      async getMany(...what) {
        const found = await table.getMany(...what);
        reads += 1;
        if (reads === 1) await replace(domain, third);
        return found;
      },
    };
    expect((await replace(domain, second, slow)).status).toBe('stored');
    await expectOnly(domain, second);
  });
});

test('a conflict is not stored for a domain that was removed meanwhile', async () => {
  const domain = await registeredDomain(table);
  await storeDmarc(reports, domain, dmarcReport(monday));
  const removing: Table = {
    ...table,
    async tryTransact(writes) {
      await domainStore(table).remove(domain, now);
      return table.tryTransact(writes);
    },
  };
  const store = dmarcReportStore(removing, { retentionDays: 0 });
  expect((await storeDmarc(store, domain, dmarcReport(monday, [row({ count: 2 })]))).status).toBe(
    'domain-gone',
  );
});

test('a report counts once although the reads are behind', async () => {
  const domain = await registeredDomain(table);
  const behind: Table = {
    ...table,
    getMany: async (reads, how) =>
      how?.isConsistent === false ? { of: () => undefined } : table.getMany(reads, how),
  };
  const store = dmarcReportStore(behind, { retentionDays: 0 });
  const [first, second] = ['first', 'second'].map((reportId) => dmarcReport(monday, [row()], { reportId }));
  if (first === undefined || second === undefined) throw new Error('no samples');
  const statuses: string[] = [];
  for (const sample of [first, second, first])
    statuses.push((await storeDmarc(store, domain, sample)).status);
  expect(statuses).toEqual(['stored', 'stored', 'duplicate']);
  const { id } = await storeDmarc(reports, domain, first);
  await store.remove(domain, { id, window: {} }, now);
  expect((await storeDmarc(store, domain, first)).status).toBe('deleted');
  expect((await reports.list(domain.id, everything, now)).summary.reports).toBe(1);
});
