import { beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_SUMMARY_BYTES } from '../../../../shared/reports/dmarc/summary/encoding.ts';
import type { DaySummary, ReportSummary } from '../../../../shared/reports/dmarc/summary/shapes.ts';
import { summaryOf } from '../../../../shared/reports/dmarc/summary/summarise.ts';
import { type Domain, domainStore } from '../../../../shared/store/domains/domains.ts';
import { reportDayKey, reportRollUpKey } from '../../../../shared/store/keys.ts';
import { dmarcReportStore } from '../../../../shared/store/reports/dmarc-reports.ts';
import { type SummaryStore, summaryStore } from '../../../../shared/store/reports/summaries.ts';
import type { Table } from '../../../../shared/store/table.ts';
import { counted } from '../../../kit/capacity.ts';
import { dyingAt, unlessItDies } from '../../../kit/dying-table.ts';
import {
  arrival,
  type DmarcSample,
  dmarcReport,
  itemsOf,
  registeredDomain,
  row,
  storeDmarc,
} from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const day = '2026-02-23';
const now = new Date('2026-03-01T00:00:00Z');
const how = { now, hasTime: () => true };
const window = { from: day, to: day };

let domain: Domain;
const table = await useTable();
const reports = dmarcReportStore(table, { retentionDays: 0 });
const summaries = summaryStore(table);
beforeEach(async () => {
  domain = await registeredDomain(table);
});

const sample = (n: number, count = 1, begin = day): DmarcSample =>
  dmarcReport(begin, [row({ sourceIp: `192.0.2.${n}`, count })], { reportId: `r${n}` });

const store = (one: DmarcSample, given = {}) => storeDmarc(reports, domain, one, now, given);

async function storeSome(from: number, to: number) {
  for (let n = from; n <= to; n += 1) await store(sample(n, n));
}

const rollUp = (of: SummaryStore = summaries) =>
  of.rollUp(domain, { kind: 'DMARC', day, earlier: false }, how);

const read = () => summaries.readSummaries(domain.id, window, now);

/** The reports of the days, and the messages of each source. */
function sumsOf(days: readonly DaySummary[]) {
  const all = days.flatMap((one) => one.summaries);
  const sources = all.flatMap(({ records }) => records.map(({ sourceIp, count }) => [sourceIp, count]));
  return {
    reports: all.reduce((sum, one) => sum + one.reports, 0),
    sources: sources.toSorted(([, a], [, b]) => Number(a) - Number(b)),
  };
}

const expected = (from: number, to: number) => ({
  reports: to - from + 1,
  sources: Array.from({ length: to - from + 1 }, (_, n) => [`192.0.2.${from + n}`, from + n]),
});

const pendingNotes = async () =>
  (await itemsOf(table, domain))
    .filter(({ sk }) => sk === reportDayKey('DMARC', domain.id, day).sk)
    .flatMap((item) => Object.keys(item).filter((name) => name.startsWith('T')));

describe('the summaries of a day', () => {
  test('include a report as soon as it is stored', async () => {
    const one = sample(1);
    await store(one);
    expect(await read()).toEqual([{ day, summaries: [summaryOf(one.header, arrival, one.rows)] }]);
    await store(sample(2, 2));
    expect(sumsOf(await read())).toEqual(expected(1, 2));
  });

  test('are the same before and after they are rolled up, and in between', async () => {
    await storeSome(1, 5);
    await rollUp();
    expect(await pendingNotes()).toEqual([]);
    expect(sumsOf(await read())).toEqual(expected(1, 5));
    await storeSome(6, 7);
    expect(await pendingNotes()).toHaveLength(2);
    expect(sumsOf(await read())).toEqual(expected(1, 7));
    await rollUp();
    expect(sumsOf(await read())).toEqual(expected(1, 7));
    await rollUp();
    expect(sumsOf(await read())).toEqual(expected(1, 7));
  });

  test('keep authenticated reports apart from others, each within the bound of an item', async () => {
    await store(sample(1, 1));
    const forged = dmarcReport(
      day,
      Array.from({ length: 30_000 }, (_, n) =>
        row({ sourceIp: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, count: 9 }),
      ),
      { reportId: 'forged' },
    );
    await store(forged, { arrival: { ...arrival, authenticated: false } });
    await rollUp();
    const found = (await read()).flatMap((one) => one.summaries);
    const proven = found.find(({ authenticated }) => authenticated === true);
    expect(proven?.records.map(({ sourceIp }) => sourceIp)).toEqual(['192.0.2.1']);
    expect(messagesOf(found)).toBe(270_001);
    const items = (await itemsOf(table, domain)).filter(({ sk }) => String(sk).startsWith('DMARCROLLUP#'));
    expect(items).toHaveLength(1);
    for (const { authenticated, unauthenticated } of items)
      for (const body of [authenticated, unauthenticated] as Uint8Array[])
        expect(body.length).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
  });

  test('change with a report that is replaced or withdrawn, before and after a roll-up', async () => {
    const [one, other] = [sample(1, 1), sample(2, 2)];
    await store(one);
    const { id } = await store(other);
    await rollUp();
    const rows = [row({ sourceIp: '192.0.2.3', count: 3 })];
    const replaced = { ...one, rows, identity: { ...one.identity, contentHash: 'another' } };
    const committed = await store(replaced, { mayReplace: true });
    expect(committed.rollUp).toEqual({ kind: 'DMARC', day, earlier: false });
    for (const isRolledUp of [false, true]) {
      if (isRolledUp) await rollUp();
      expect(sumsOf(await read())).toEqual({
        reports: 2,
        sources: [
          ['192.0.2.2', 2],
          ['192.0.2.3', 3],
        ],
      });
    }
    const begin = new Date(day).toISOString();
    const reference = { kind: 'DMARC', begin, id, contentHash: other.identity.contentHash } as const;
    expect(await reports.withdraw(domain, reference, String(arrival.rawKey), now)).toEqual({
      kind: 'DMARC',
      day,
      earlier: false,
    });
    for (const isRolledUp of [false, true]) {
      if (isRolledUp) await rollUp();
      expect(sumsOf(await read())).toEqual({ reports: 1, sources: [['192.0.2.3', 3]] });
    }
  });

  test('of a removed domain are not stored', async () => {
    await store(sample(1));
    await domainStore(table).remove(domain, now);
    const before = await itemsOf(table, domain);
    expect(await rollUp()).toBe(true);
    expect(await itemsOf(table, domain)).toEqual(before);
  });

  test('expire with their day', async () => {
    const expiring = dmarcReportStore(table, { retentionDays: 400 });
    await storeDmarc(expiring, domain, sample(1), now);
    await rollUp();
    const items = (await itemsOf(table, domain)).filter(({ sk }) => /^DMARC(?:DAY|ROLLUP)#/.test(String(sk)));
    expect(new Set(items.map(({ expiresAt }) => expiresAt)).size).toBe(1);
    expect(await summaries.readSummaries(domain.id, window, new Date('2030-01-01'))).toEqual([]);
  });
});

describe('a roll-up', () => {
  test('is due for earlier days at the first report of a day, and for a day at each eighth report', async () => {
    const due = [];
    for (let n = 1; n <= 17; n += 1) due.push((await store(sample(n))).rollUp);
    expect(due.flatMap((one, at) => (one === null ? [] : [[at + 1, one.earlier]]))).toEqual([
      [1, true],
      [8, false],
      [16, false],
    ]);
  });

  test('of earlier days leaves the day itself, and stops when its time is up', async () => {
    for (const date of ['2026-02-20', '2026-02-21', day]) await store(sample(1, 1, date));
    let left = 1;
    const short = { now, hasTime: () => left-- > 0 };
    expect(await summaries.rollUp(domain, { kind: 'DMARC', day, earlier: true }, short)).toBe(false);
    expect(await summaries.rollUp(domain, { kind: 'DMARC', day, earlier: true }, how)).toBe(true);
    expect(await pendingNotes()).toHaveLength(1);
    const all = await summaries.readSummaries(domain.id, { from: '2026-02-01', to: day }, now);
    expect(all.map((one) => one.day)).toEqual(['2026-02-20', '2026-02-21', day]);
    expect(sumsOf(all).reports).toBe(3);
  });

  test.each(['before', 'after'] as const)('that dies %s its write counts each report once', async (when) => {
    await storeSome(1, 3);
    const dying = dyingAt(table, 1, when);
    expect(await unlessItDies(rollUp(summaryStore(dying)))).toBeUndefined();
    expect(sumsOf(await read())).toEqual(expected(1, 3));
    await rollUp();
    expect(sumsOf(await read())).toEqual(expected(1, 3));
  });

  test('counts each report once while reports arrive, and while others roll up and read', async () => {
    const reading = async () => {
      for (let n = 0; n < 10; n += 1) {
        const { reports: found, sources } = sumsOf(await read());
        expect(sources).toHaveLength(found);
      }
    };
    const rolling = async () => {
      for (let n = 0; n < 5; n += 1) await rollUp();
    };
    await Promise.all([storeSome(1, 12), storeSome(13, 24), rolling(), rolling(), reading()]);
    expect(sumsOf(await read())).toEqual(expected(1, 24));
    await rollUp();
    expect(sumsOf(await read())).toEqual(expected(1, 24));
  });
});

describe('a day whose roll-up is only half read', () => {
  /** Reads no rolled-up summaries at first, after something happened. */
  function withoutSummaries(happens: () => Promise<unknown>): SummaryStore {
    let isFirst = true;
    const query: Table['query'] = async (range, ...more) => {
      const isOfSummaries = JSON.stringify(range).includes('DMARCROLLUP#');
      if (!isFirst || !isOfSummaries) return table.query(range, ...more);
      isFirst = false;
      await happens();
      return [];
    };
    return summaryStore({ ...table, query });
  }

  test('is read again', async () => {
    await storeSome(1, 3);
    await rollUp();
    const readings = withoutSummaries(async () => {});
    expect(sumsOf(await readings.readSummaries(domain.id, window, now))).toEqual(expected(1, 3));
  });

  test('has no summaries if it is gone by then', async () => {
    await storeSome(1, 3);
    await rollUp();
    const key = reportDayKey('DMARC', domain.id, day);
    const readings = withoutSummaries(() => table.delete(key));
    expect(await readings.readSummaries(domain.id, window, now)).toEqual([]);
  });
});

test('a day whose roll-up has expired is read from its reports, until it is rolled up again', async () => {
  await storeSome(1, 3);
  await rollUp();
  await table.delete(reportRollUpKey('DMARC', domain.id, day));
  for (const last of [3, 4]) {
    await storeSome(4, last);
    if (last === 4) await rollUp();
    expect(sumsOf(await read())).toEqual(expected(1, last));
    const window = { until: `${day}T00:00:00.001Z` };
    const { summary } = await reports.list(domain.id, { window, page: 1, limit: 1 }, now);
    expect(summary.reports).toBe(last);
  }
  const items = await itemsOf(table, domain);
  expect(items.filter(({ sk }) => String(sk).startsWith('DMARCROLLUP#'))).toMatchObject([{ rolledUp: 2 }]);
});

test('reading a window costs the same however many reports are rolled up', async () => {
  const { table: measured, capacity } = counted(table);
  const units = async () => {
    const before = capacity.units().reads;
    await summaryStore(measured).readSummaries(domain.id, { from: '2026-02-01', to: day }, now);
    return capacity.units().reads - before;
  };
  await store(sample(1));
  await rollUp();
  const few = await units();
  for (let n = 2; n <= 40; n += 1) await store(dmarcReport(day, [row()], { reportId: `r${n}` }));
  await rollUp();
  expect(await units()).toBe(few);
});

test('windows can end with the last day of a year with four digits', async () => {
  await store(sample(1));
  const last = { from: '9999-12-02', to: '9999-12-31' };
  expect(await summaries.readSummaries(domain.id, last, now)).toEqual([]);
});

const messagesOf = (all: readonly ReportSummary[]): number =>
  all.reduce((sum, { records }) => sum + records.reduce((of, { count }) => of + count, 0), 0);
