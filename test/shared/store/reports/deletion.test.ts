/** Reports that their owner deletes: their share of every sum goes with them, and they stay away. */
import { describe, expect, test } from '@jest/globals';
import type { Domain } from '../../../../shared/store/domains/domains.ts';
import { domainStore } from '../../../../shared/store/domains/domains.ts';
import { reportDayKey } from '../../../../shared/store/keys.ts';
import { dmarcReportStore } from '../../../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../../../shared/store/reports/summaries.ts';
import type { Table } from '../../../../shared/store/table.ts';
import { dyingAt, type Moment, unlessItDies } from '../../../kit/dying-table.ts';
import {
  type DmarcSample,
  dmarcReport,
  itemsOf,
  registeredDomain,
  row,
  storeDmarc,
} from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-03-01T00:00:00Z');
const days = { from: '2026-02-01', to: '2026-02-28' };
const everything = { window: {}, page: 1, limit: 100 };
const kept = { retentionDays: 0 };

const table = await useTable();

const reportsOn = (on: Table = table) => dmarcReportStore(on, kept);

/** Deletes the report with this id. */
const remove = (domain: Domain, id: string, on: Table = table) =>
  reportsOn(on).remove(domain, { id, window: {} }, now);

const removed = { isRemoved: true };
const absent = { isRemoved: false, rollUp: null };

async function storedId(domain: Domain, sample: DmarcSample): Promise<string> {
  return (await storeDmarc(reportsOn(), domain, sample, now)).id;
}

const restore = (domain: Domain, sample: DmarcSample) =>
  storeDmarc(reportsOn(), domain, sample, now, { restoresDeleted: true });

/** All that is shown about the reports of a domain, without what depends on its id. */
async function shownOf(domain: Domain) {
  const reports = reportsOn();
  const { summary, reports: listed } = await reports.list(domain.id, everything, now);
  const summaries = await summaryStore(table).readSummaries(domain.id, days, now);
  return {
    summary,
    listed: listed.map(({ report }) => report.reportId).toSorted(),
    timeline: await reports.timeline(domain.id, days, now),
    sources: await summaryStore(table).sources(domain, days, now),
    messages: summaries
      .flatMap((day) =>
        day.summaries.flatMap(({ reporter, records }) =>
          records.map(({ sourceIp, count }) => `${day.day} ${reporter} ${sourceIp} ${count}`),
        ),
      )
      .toSorted(),
  };
}

/** The state of a domain that only ever received these reports. */
async function directly(samples: readonly DmarcSample[]) {
  const domain = await registeredDomain(table);
  for (const sample of samples) await storeDmarc(reportsOn(), domain, sample, now);
  return shownOf(domain);
}

test('the deletion of the only report of a day leaves no day', async () => {
  const domain = await registeredDomain(table);
  const id = await storedId(domain, dmarcReport('2026-02-10'));
  expect(await remove(domain, id)).toMatchObject(removed);
  expect((await shownOf(domain)).timeline).toEqual([]);
  expect(await summaryStore(table).readSummaries(domain.id, days, now)).toEqual([]);
});

describe('a deleted report', () => {
  test('is not stored when it arrives again, until it is restored', async () => {
    const domain = await registeredDomain(table);
    const [sample, other] = [
      dmarcReport('2026-02-20'),
      dmarcReport('2026-02-20', [row()], { reportId: 'r2' }),
    ];
    const id = await storedId(domain, sample);
    await remove(domain, id);
    expect(await storeDmarc(reportsOn(), domain, sample, now)).toMatchObject({ status: 'deleted' });
    await storedId(domain, other);
    expect(await storeDmarc(reportsOn(), domain, sample, now)).toMatchObject({ status: 'deleted' });
    expect(await shownOf(domain)).toEqual(await directly([other]));
    expect(await restore(domain, sample)).toMatchObject({ status: 'stored', isWritten: true });
    expect(await storeDmarc(reportsOn(), domain, sample, now)).toMatchObject({ status: 'duplicate' });
    expect(await shownOf(domain)).toEqual(await directly([sample, other]));
  });

  test('does not exist a second time, in another window or in another domain', async () => {
    const [domain, other] = [await registeredDomain(table), await registeredDomain(table)];
    const id = await storedId(domain, dmarcReport('2026-02-20'));
    const window = { from: '2026-02-21T00:00:00.000Z' };
    expect(await reportsOn().remove(domain, { id, window }, now)).toEqual(absent);
    expect(await remove(other, id)).toEqual(absent);
    expect(await remove(domain, id)).toMatchObject(removed);
    expect(await remove(domain, id)).toEqual(absent);
  });

  test('of a removed domain leaves nothing behind', async () => {
    const domain = await registeredDomain(table);
    const id = await storedId(domain, dmarcReport('2026-02-20'));
    await domainStore(table).remove(domain, now);
    const before = await itemsOf(table, domain);
    expect(await remove(domain, id)).toEqual(absent);
    expect(await itemsOf(table, domain)).toEqual(before);
  });
});

/** Selectors that hardly compress, so that the rows fill several chunks. */
const large = Array.from({ length: 900 }, (_, n) =>
  row({
    ...{ count: 2, sourceIp: `10.0.0.${n % 50}` },
    reasons: [
      { type: 'other', comment: Buffer.from(crypto.getRandomValues(new Uint8Array(500))).toString('base64') },
    ],
  }),
);

describe.each(['before', 'after'] as const)('a deletion that dies %s its n-th write', (when: Moment) => {
  test.each([
    ['small', [row()]],
    ['large', large],
  ])('shows nothing inconsistent, and the next one completes it: a %s report', async (_size, rows) => {
    const sample = dmarcReport('2026-02-20', rows);
    const other = dmarcReport('2026-02-20', [row()], { reportId: 'r2' });
    const expected = await directly([other]);
    let deaths = 0;
    for (let n = 1; ; n += 1) {
      const domain = await registeredDomain(table);
      const id = await storedId(domain, sample);
      await storedId(domain, other);
      const dying = dyingAt(table, n, when);
      await unlessItDies(remove(domain, id, dying));
      if (!dying.died()) break;
      deaths += 1;
      const { reports, summary } = await reportsOn().list(domain.id, everything, now);
      expect(summary.reports).toBe(reports.length);
      for (const one of reports)
        expect([...(await reportsOn().rowsOf(domain.id, one))]).toHaveLength(one.report.recordCount);
      await remove(domain, id);
      expect(await shownOf(domain)).toEqual(expected);
      expect((await storeDmarc(reportsOn(), domain, sample, now)).status).toBe('deleted');
      const chunks = (await itemsOf(table, domain)).filter(({ sk }) => String(sk).startsWith('DMARCROWS#'));
      expect(chunks.filter((chunk) => !('expiresAt' in chunk))).toEqual([]);
    }
    expect(deaths).toBeGreaterThanOrEqual(rows.length > 1 ? 5 : 1);
  });
});

describe('a deletion', () => {
  test('succeeds once, however often it is requested at once, while the report arrives again', async () => {
    const domain = await registeredDomain(table);
    const sample = dmarcReport('2026-02-20');
    const others = Array.from({ length: 6 }, (_, n) =>
      dmarcReport('2026-02-20', [row()], { reportId: `other ${n}` }),
    );
    const id = await storedId(domain, sample);
    const [first, second, third, ...stored] = await Promise.all([
      remove(domain, id),
      remove(domain, id),
      remove(domain, id),
      ...others.flatMap((other) => [
        storeDmarc(reportsOn(), domain, other, now),
        storeDmarc(reportsOn(), domain, sample, now),
      ]),
    ]);
    expect([first, second, third].filter((one) => one !== 'too-many' && one?.isRemoved)).toHaveLength(1);
    const again = stored.filter((_, n) => n % 2 === 1).map((one) => (one as { status: string }).status);
    expect(again.filter((status) => status !== 'duplicate' && status !== 'deleted')).toEqual([]);
    expect(await shownOf(domain)).toEqual(await directly(others));
  });

  test('notes a change of its day, so that its summaries are rolled up from all reports', async () => {
    const domain = await registeredDomain(table);
    const id = await storedId(domain, dmarcReport('2026-02-20'));
    const found = await remove(domain, id);
    expect(found).toEqual({ isRemoved: true, rollUp: { kind: 'DMARC', day: '2026-02-20', earlier: false } });
    const key = reportDayKey('DMARC', domain.id, '2026-02-20');
    const day = (await itemsOf(table, domain)).find(({ sk }) => sk === key.sk);
    expect(day).toMatchObject({ reports: 0, changed: 1, deletions: 1 });
  });
});
