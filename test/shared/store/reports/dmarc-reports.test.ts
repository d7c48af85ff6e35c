import { describe, expect, test } from '@jest/globals';
import { deletionStore } from '../../../../shared/store/domains/deletions.ts';
import { type Domain, domainStore } from '../../../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../../../shared/store/reports/summaries.ts';
import {
  arrival,
  dmarcReport,
  itemsOf,
  noisyRows,
  registeredDomain,
  row,
  storeDmarc,
} from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = arrival.receivedAt;

// Items that expire during the tests are never deleted.
const table = await useTable({ now: () => now });
const reports = dmarcReportStore(table, { retentionDays: 0 });

const everything = { window: {}, page: 1, limit: 100 };
const monday = '2026-02-23T00:00:00Z';

describe('a stored report', () => {
  test('may have no rows', async () => {
    const domain = await registeredDomain(table);
    await storeDmarc(reports, domain, dmarcReport(monday, []));
    const {
      reports: [first],
    } = await reports.list(domain.id, everything, now);
    expect(first && [...(await reports.rowsOf(domain.id, first))]).toEqual([]);
  });

  test('has a different id in another domain', async () => {
    const ids = await Promise.all(
      [1, 2].map(
        async () => (await storeDmarc(reports, await registeredDomain(table), dmarcReport(monday))).id,
      ),
    );
    expect(new Set(ids).size).toBe(2);
  });

  test('of 20,000 rows is stored completely, in chunks', async () => {
    const domain = await registeredDomain(table);
    const rows = Array.from({ length: 20_000 }, (_, n) =>
      row({ sourceIp: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, count: (n % 7) + 1 }),
    );
    const outcome = await storeDmarc(reports, domain, dmarcReport(monday, rows));
    expect(outcome.status).toBe('stored');
    const {
      reports: [first],
    } = await reports.list(domain.id, everything, now);
    const read = first === undefined ? [] : [...(await reports.rowsOf(domain.id, first))];
    expect(read.length).toBe(20_000);
    expect(read[12_345]).toEqual(rows[12_345]);
    const { sources, others, all } = await summaryStore(table).sources(
      domain,
      { from: '2026-02-23', to: '2026-02-23' },
      now,
    );
    expect([sources.length, all.messages]).toEqual([500, rows.reduce((sum, { count }) => sum + count, 0)]);
    expect(others.messages).toBeGreaterThan(0);
  });

  test('with absurd message counts cannot overflow the sums', async () => {
    const domain = await registeredDomain(table);
    for (let n = 0; n < 3; n += 1) {
      const rows = [
        row({ count: Number.MAX_SAFE_INTEGER }),
        row({ count: Number.MAX_SAFE_INTEGER, spf: 'fail' }),
      ];
      await storeDmarc(reports, domain, dmarcReport(monday, rows, { reportId: `r${n}` }));
    }
    expect((await reports.list(domain.id, everything, now)).summary.passed).toBe(3e10);
  });
});

describe('a report that arrives again', () => {
  test('changes nothing', async () => {
    const domain = await registeredDomain(table);
    const sample = dmarcReport(monday, [row({ count: 5 })]);
    const first = await storeDmarc(reports, domain, sample);
    const before = await itemsOf(table, domain);
    expect(await storeDmarc(reports, domain, sample, new Date('2026-03-05'))).toEqual({
      ...first,
      ...{ isWritten: false, rollUp: null },
      status: 'duplicate',
    });
    expect(await itemsOf(table, domain)).toEqual(before);
  });

  test('is recognized with its rows in another order', async () => {
    const domain = await registeredDomain(table);
    const rows = noisyRows(2000);
    await storeDmarc(reports, domain, dmarcReport(monday, rows));
    const before = await itemsOf(table, domain);
    expect((await storeDmarc(reports, domain, dmarcReport(monday, rows.toReversed()))).status).toBe(
      'duplicate',
    );
    expect(await itemsOf(table, domain)).toEqual(before);
  });

  test('eight times concurrently is stored and counted once', async () => {
    const domain = await registeredDomain(table);
    const sample = dmarcReport(monday, noisyRows(1500));
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => storeDmarc(reports, domain, sample)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([...Array(7).fill('duplicate'), 'stored']);
    const { reports: listed, summary } = await reports.list(domain.id, everything, now);
    expect([listed.length, summary]).toEqual([1, { reports: 1, passed: 1500, failed: 0 }]);
    expect(listed[0] && [...(await reports.rowsOf(domain.id, listed[0]))]).toEqual(sample.rows);
    const temporary = (await itemsOf(table, domain)).filter(
      (item) => 'expiresAt' in item || 'chunksPending' in item,
    );
    expect(temporary).toEqual([]);
  });

  test.each([1, 1500])(
    'with other content (%i rows) is stored as a conflict and not counted',
    async (count) => {
      const domain = await registeredDomain(table);
      const sample = dmarcReport(monday, noisyRows(count));
      await storeDmarc(reports, domain, sample);
      const before = await itemsOf(table, domain);
      const other = dmarcReport(monday, noisyRows(count));
      for (let time = 0; time < 2; time += 1) {
        expect((await storeDmarc(reports, domain, other)).status).toBe('conflict');
      }
      const after = await itemsOf(table, domain);
      const aside = after.filter(({ sk }) => String(sk).startsWith('DMARCCONFLICT#'));
      expect(aside).toEqual([
        expect.objectContaining({ contentHash: other.identity.contentHash, passed: count }),
      ]);
      expect(after.filter((item) => !aside.includes(item))).toEqual(before);
    },
  );
});

test('a report about a subdomain does not show the parent domain as another operator', async () => {
  const domain = await registeredDomain(table);
  const own = row({ headerFrom: `sub.${domain.domain}`, spfResults: [], ...signedBy(domain.domain) });
  const foreign = row({ ...own, sourceIp: '192.0.2.2', ...signedBy('sender.example') });
  const about = { policyDomain: `sub.${domain.domain}` };
  await storeDmarc(reports, domain, dmarcReport(monday, [own, foreign], about));
  const { sources } = await summaryStore(table).sources(
    domain,
    { from: '2026-02-23', to: '2026-02-23' },
    now,
  );
  expect(sources.map(({ authenticatedAs }) => authenticatedAs)).toEqual([null, 'sender.example']);
});

const signedBy = (name: string) => ({ dkimResults: [{ domain: name, result: 'pass', selector: 's' }] });

test('a record without messages is none of its address', async () => {
  const domain = await registeredDomain(table);
  const silent = row({ sourceIp: '192.0.2.77', count: 0 });
  const sending = row({ sourceIp: '192.0.2.78', count: 1 });
  await storeDmarc(reports, domain, dmarcReport(monday, [silent, sending]));
  const numberFrom = async (sourceIp: string) => {
    const found = await reports.search(domain.id, { window: {}, page: 1, limit: 10, sourceIp }, now);
    return found === 'too-many' ? found : found.reports.length;
  };
  expect(await Promise.all([numberFrom('192.0.2.77'), numberFrom('192.0.2.78')])).toEqual([0, 1]);
});

describe('a deleted domain', () => {
  test.each([1, 1500])('accepts no report of %i rows any more, and none of it remains', async (count) => {
    const domain = await registeredDomain(table);
    await storeDmarc(reports, domain, dmarcReport(monday));
    await domainStore(table).remove(domain, now);
    const late = dmarcReport(monday, noisyRows(count), { reportId: 'late' });
    expect((await storeDmarc(reports, domain, late)).status).toBe('domain-gone');
    expect(await deletionStore(table).drain(domain.id, () => 60_000)).toBe(true);
    expect((await storeDmarc(reports, domain, late)).status).toBe('domain-gone');
    expect(await itemsOf(table, domain)).toEqual([]);
  });

  test('is empty even if reports arrive during the deletion', async () => {
    const domain = await registeredDomain(table);
    const arrive = (n: number) =>
      storeDmarc(
        reports,
        domain,
        dmarcReport(monday, noisyRows(n % 3 === 0 ? 1200 : 2), { reportId: `r${n}` }),
      );
    const before = Array.from({ length: 9 }, async (_, n) => {
      await new Promise((resolve) => setTimeout(resolve, n * 5));
      return arrive(n);
    });
    await new Promise((resolve) => setTimeout(resolve, 25));
    await domainStore(table).remove(domain, now);
    const after = [9, 10, 11].map(arrive);
    await Promise.all([...before, ...after, deletionStore(table).drain(domain.id, () => 60_000)]);
    for (const outcome of after) expect(await outcome).toMatchObject({ status: 'domain-gone' });
    expect(await itemsOf(table, domain)).toEqual([]);
  });
});

describe('retention', () => {
  const days = (count: number) => dmarcReportStore(table, { retentionDays: count });
  const at = (date: string) => new Date(date);

  test.each([1, 1500])(
    'expires the report (%i rows), its rows and its counts at the same second',
    async (count) => {
      const domain = await registeredDomain(table);
      const store = days(30);
      expect((await storeDmarc(store, domain, dmarcReport(monday, noisyRows(count)), now)).status).toBe(
        'stored',
      );
      const last = at('2026-03-25T23:59:59Z');
      expect((await store.list(domain.id, everything, last)).summary.reports).toBe(1);
      const expired = at('2026-03-26T00:00:00Z');
      expect(await store.list(domain.id, everything, expired)).toEqual({
        reports: [],
        hasMore: false,
        summary: { reports: 0, passed: 0, failed: 0 },
      });
      const range = { from: '2026-02-23', to: '2026-02-23' };
      expect(await store.timeline(domain.id, range, expired)).toEqual([]);
      expect((await summaryStore(table).sources(domain, range, expired)).sources).toEqual([]);
      const expiries = new Set((await itemsOf(table, domain)).map(({ expiresAt }) => expiresAt));
      expect(expiries).toEqual(new Set([expired.getTime() / 1000]));
    },
  );

  test('rejects reports from the second on at which they would expire', async () => {
    const [early, late] = [await registeredDomain(table), await registeredDomain(table)];
    const status = async (domain: Domain, date: string) =>
      (await storeDmarc(days(30), domain, dmarcReport(monday), at(date))).status;
    expect(await status(early, '2026-03-25T23:59:59Z')).toBe('stored');
    expect(await status(late, '2026-03-26T00:00:00Z')).toBe('expired');
  });

  test('rejects reports older than the retention period', async () => {
    const domain = await registeredDomain(table);
    const old = dmarcReport('2026-01-01T00:00:00Z');
    expect((await storeDmarc(days(30), domain, old, now)).status).toBe('expired');
    expect(await itemsOf(table, domain)).toEqual([]);
  });

  test('of 0 keeps reports permanently, also on a day that had an expiry before', async () => {
    const domain = await registeredDomain(table);
    await storeDmarc(days(30), domain, dmarcReport(monday), now);
    await storeDmarc(reports, domain, dmarcReport(monday, [row()], { reportId: 'kept' }));
    const { reports: listed } = await reports.list(domain.id, everything, at('2030-01-01'));
    expect(listed.map(({ report }) => report.reportId)).toEqual(['kept']);
  });
});
