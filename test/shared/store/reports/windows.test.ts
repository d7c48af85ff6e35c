/** Reports over random days and windows, compared with a direct count. */
import { describe, expect, test } from '@jest/globals';
import { MAX_BATCH, writeBatch } from '../../../../shared/store/batch-write.ts';
import type { Domain } from '../../../../shared/store/domains/domains.ts';
import { reportDayKey } from '../../../../shared/store/keys.ts';
import { dmarcReportStore } from '../../../../shared/store/reports/dmarc-reports.ts';
import { reportLists, type Window } from '../../../../shared/store/reports/lists.ts';
import type { ReportFilter, ReportQuery } from '../../../../shared/store/reports/report-store.ts';
import {
  attributesOf,
  dmarcReportItem,
  readOfReport,
} from '../../../../shared/store/reports/stored-report.ts';
import { summaryStore } from '../../../../shared/store/reports/summaries.ts';
import { tlsReportStore } from '../../../../shared/store/reports/tls-reports.ts';
import { counted } from '../../../kit/capacity.ts';
import {
  arrival,
  dmarcReport,
  policy,
  randomNumbers,
  registeredDomain,
  row,
  storeDmarc,
  storeTls,
  tlsReport,
} from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const table = await useTable();

const now = arrival.receivedAt;
const START = Date.parse('2026-01-01T00:00:00Z');
const DAY = 86_400_000;
const HOUR = 3_600_000;
const DAYS = 6;

interface Known {
  readonly id: string;
  readonly begin: string;
  readonly passed: number;
  readonly failed: number;
  readonly reporter: string;
  readonly sourceIp: string;
}

/** Most periods begin at midnight, many at a full hour, some at any time; some skip a day. */
function randomBegin(random: (below: number) => number): string {
  const day = START + ([0, 1, 3, 4, 5][random(5)] ?? 0) * DAY;
  const kind = random(10);
  if (kind < 5) return new Date(day).toISOString();
  if (kind < 7) return new Date(day + random(24) * HOUR).toISOString();
  return new Date(day + random(DAY)).toISOString();
}

/**
 * Windows with boundaries at the start of reports, between reports, at days and hours, and outside of all reports.
 */
function randomWindow(random: (below: number) => number, known: readonly Known[]): Window {
  const edge = (): string | undefined => {
    const anywhere = START - DAY + random((DAYS + 2) * DAY);
    switch (random(5)) {
      case 0:
        return undefined;
      case 1:
        return new Date(anywhere - (anywhere % DAY)).toISOString();
      case 2:
        return new Date(anywhere - (anywhere % HOUR)).toISOString();
      case 3:
        return known[random(known.length)]?.begin;
      default:
        return new Date(anywhere).toISOString();
    }
  };
  return { from: edge(), until: edge() };
}

function naive(known: readonly Known[], { from, until }: Window) {
  const inside = known
    .filter(({ begin }) => (from === undefined || begin >= from) && (until === undefined || begin < until))
    .toSorted((a, b) => (`${a.begin}#${a.id}` < `${b.begin}#${b.id}` ? 1 : -1));
  const sum = (of: (one: Known) => number) => inside.reduce((total, one) => total + of(one), 0);
  const summary = {
    reports: inside.length,
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
  };
  return { ids: inside.map(({ id }) => id), summary };
}

function randomFilter(
  random: (below: number) => number,
  known: readonly Known[],
  kind: 'DMARC' | 'TLS',
): ReportFilter {
  const maybe = <Value>(value: Value): Value | undefined => (random(2) === 0 ? value : undefined);
  const n = random(known.length);
  switch (random(4)) {
    case 0:
      return { reportId: random(2) === 0 ? `r${n}` : known[n]?.id };
    case 1:
      return { failing: true, reporter: maybe('reporter 1') };
    case 2:
      return { reporter: `REPORTER ${random(5)}` };
    default:
      return kind === 'TLS'
        ? { failing: true }
        : { sourceIp: `192.0.2.${random(7)}`, failing: random(2) === 0, reporter: maybe('Reporter 2') };
  }
}

/** Whether a report matches, counted directly. */
const matcherOf =
  ({ failing, reporter, reportId, sourceIp }: ReportFilter, known: readonly Known[]) =>
  (report: Known): boolean =>
    (failing !== true || report.failed > 0) &&
    (reporter === undefined || reporter.toLowerCase() === report.reporter.toLowerCase()) &&
    (reportId === undefined || reportId === report.id || reportId === `r${known.indexOf(report)}`) &&
    (sourceIp === undefined || sourceIp === report.sourceIp);

const stores = {
  DMARC: () => {
    const store = dmarcReportStore(table, { retentionDays: 0 });
    return {
      list: store.list,
      search: (domainId: string, query: ReportQuery & ReportFilter, at: Date) =>
        store.search(domainId, query, at, summaryStore(table).daysWithSource),
      add: (domain: Domain, n: number, { begin, passed, failed, reporter, sourceIp }: Omit<Known, 'id'>) =>
        storeDmarc(
          store,
          domain,
          dmarcReport(
            begin,
            [
              row({ count: passed, sourceIp }),
              row({ count: failed, dkim: 'fail', spf: 'fail', sourceIp: `198.51.100.${n}` }),
            ],
            { reportId: `r${n}`, orgName: reporter },
          ),
        ),
    };
  },
  TLS: () => {
    const store = tlsReportStore(table, { retentionDays: 0 });
    return {
      ...{ list: store.list, search: store.search },
      add: (domain: Domain, n: number, { begin, passed, failed, reporter }: Omit<Known, 'id'>) =>
        storeTls(
          store,
          domain,
          tlsReport(begin, [policy({ successCount: passed, failureCount: failed })], {
            ...{ reportId: `r${n}`, organizationName: reporter },
          }),
        ),
    };
  },
};

describe.each(['DMARC', 'TLS'] as const)('%s reports', (kind) => {
  test.each([1, 2])(
    'on random days: sums and pages of random windows equal a direct count (seed %i)',
    async (seed) => {
      const random = randomNumbers(seed);
      const store = stores[kind]();
      const domain = await registeredDomain(table);
      const known: Known[] = [];
      for (let n = 0; n < 80; n += 1) {
        const begin = randomBegin(random);
        const [passed, failed] = [1 + random(1000), random(3) === 0 ? random(100) : 0];
        const reporter = `Reporter ${random(4)}`;
        // As few addresses as days, so that some days lack some.
        const report = { begin, passed, failed, reporter, sourceIp: `192.0.2.${random(6)}` };
        known.push({ ...report, id: (await store.add(domain, n, report)).id });
      }
      for (let round = 0; round < 120; round += 1) {
        const window = randomWindow(random, known);
        const limit = 1 + random(round % 3 === 0 ? 100 : 12);
        const expected = naive(known, window);
        const page = 1 + random(Math.ceil(expected.ids.length / limit) + 2);
        const { reports, hasMore, summary, last } = await store.list(domain.id, { window, page, limit }, now);
        expect({
          window,
          page,
          limit,
          summary,
          ids: reports.map(({ report }) => report.id),
          hasMore,
        }).toEqual({
          window,
          page,
          limit,
          summary: expected.summary,
          ids: expected.ids.slice((page - 1) * limit, page * limit),
          hasMore: expected.ids.length > page * limit,
        });
        // The page after a row, in some of the rounds.
        const isContinued = round % 4 === 0;
        if (isContinued && last !== undefined) {
          const next = await store.list(domain.id, { window, page: 1, limit, after: last }, now);
          expect([next.reports.map(({ report }) => report.id), next.hasMore, next.summary]).toEqual([
            expected.ids.slice(page * limit, (page + 1) * limit),
            expected.ids.length > (page + 1) * limit,
            expected.summary,
          ]);
        }
        const filter = randomFilter(random, known, kind);
        const matching = naive(known.filter(matcherOf(filter, known)), window);
        const found = await store.search(domain.id, { window, page, limit, ...filter }, now);
        if (found === 'too-many') throw new Error(found);
        const { last: after, ...shown } = found;
        expect({ filter, ...shown, reports: found.reports.map(({ report }) => report.id) }).toEqual({
          filter,
          summary: matching.summary,
          reports: matching.ids.slice((page - 1) * limit, page * limit),
          hasMore: matching.ids.length > page * limit,
        });
        if (!isContinued || after === undefined) continue;
        const next = await store.search(domain.id, { window, page: 1, limit, after, ...filter }, now);
        if (next === 'too-many') throw new Error(next);
        expect([next.reports.map(({ report }) => report.id), next.hasMore, next.summary]).toEqual([
          matching.ids.slice(page * limit, (page + 1) * limit),
          matching.ids.length > (page + 1) * limit,
          matching.summary,
        ]);
      }
    },
    60_000,
  );

  test('are not searched if there are too many on the days that can match', async () => {
    const domain = await registeredDomain(table);
    const days = [
      { day: '2026-01-05', reports: 10_000, passed: 10_000, failed: 1 },
      { day: '2026-01-06', reports: 1, passed: 1, failed: 0 },
    ];
    for (const day of days) {
      await table.put({ ...reportDayKey(kind, domain.id, day.day), ...day });
    }
    const search = (filter: ReportFilter) =>
      stores[kind]().search(domain.id, { window: {}, page: 1, limit: 10, ...filter }, now);
    expect(await search({ reporter: 'Reporter' })).toBe('too-many');
    expect(await search({ failing: true })).toEqual({
      ...{ reports: [], hasMore: false, last: undefined, summary: { reports: 0, passed: 0, failed: 0 } },
    });
  });
});

test('a search reads only the days on which the source was seen', async () => {
  const domain = await registeredDomain(table);
  const store = dmarcReportStore(table, { retentionDays: 0 });
  await storeDmarc(store, domain, dmarcReport('2026-01-05', [row({ sourceIp: '192.0.2.1' })]));
  await storeDmarc(store, domain, dmarcReport('2026-01-06', [row({ sourceIp: '192.0.2.2' })]));
  const rollUp = { kind: 'DMARC', day: '2026-01-08', earlier: true } as const;
  await summaryStore(table).rollUp(domain, rollUp, { now, hasTime: () => true });
  const { table: measured, capacity } = counted(table);
  const search = async (sourceIp: string) => {
    const query = { window: {}, page: 1, limit: 10, sourceIp };
    const before = capacity.calls();
    const { daysWithSource } = summaryStore(measured);
    const reports = dmarcReportStore(measured, { retentionDays: 0 });
    const found = await reports.search(domain.id, query, now, daysWithSource);
    if (found === 'too-many') throw new Error(found);
    return [found.reports.map(({ report }) => report.dateRangeBegin.slice(0, 10)), capacity.calls() - before];
  };
  // The sums of the days, the same with what is rolled up, and the day on which it was seen.
  expect(await search('192.0.2.1')).toEqual([['2026-01-05'], 4]);
  expect(await search('192.0.2.2')).toEqual([['2026-01-06'], 4]);
  expect(await search('198.51.100.1')).toEqual([[], 3]);
});

test.each([
  [0, 0],
  [1, 'too-many'],
])('rows are read up to 64 MB (%i octets more), and only to find a source', async (more, expected) => {
  const domain = await registeredDomain(table);
  const store = dmarcReportStore(table, { retentionDays: 0 });
  for (const day of ['2026-01-05', '2026-01-06']) {
    const { id } = await storeDmarc(store, domain, dmarcReport(day, [row({})]));
    const { key, schema } = readOfReport('DMARC', domain.id, { begin: `${day}T00:00:00.000Z`, id });
    const item = await table.get(key, schema);
    if (item === undefined) throw new Error('the report is gone');
    await table.put({ ...key, ...attributesOf({ ...item, rowOctets: 32 * 1024 * 1024 + more }) });
  }
  const search = async (filter: ReportFilter) => {
    const found = await store.search(domain.id, { window: {}, page: 1, limit: 10, ...filter }, now);
    return found === 'too-many' ? found : found.reports.length;
  };
  expect(await search({ sourceIp: '198.51.100.1' })).toBe(expected);
  expect(await search({ reportId: 'another' })).toBe(0);
});

test('a report is found by its ID among the newest 10,000 of a window', async () => {
  const keys = Array.from({ length: 10_001 }, (_, n) => ({
    ...readOfReport('DMARC', 'many', { begin: new Date(START + n * 1000).toISOString(), id: `r${n}` }).key,
  }));
  for (let at = 0; at < keys.length; at += MAX_BATCH)
    await writeBatch(
      table,
      keys.slice(at, at + MAX_BATCH).map((Item) => ({ PutRequest: { Item } })),
    );
  const { table: measured, capacity } = counted(table);
  const { beginOf } = reportLists(measured, 'DMARC', dmarcReportItem);
  const begin = (n: number) => new Date(START + n * 1000).toISOString();
  const find = (id: string, window: Window = {}) => beginOf('many', { id, window }, now);
  expect([await find('r0'), await find('none')]).toEqual(['too-many', 'too-many']);
  expect(await find('r1')).toBe(begin(1));
  expect([await find('r0', { until: begin(10_000) }), await find('0')]).toEqual([begin(0), 'too-many']);
  expect(new Set(capacity.sizes)).toEqual(new Set([500]));
});

test('a window that ends before it begins is empty', async () => {
  const store = dmarcReportStore(table, { retentionDays: 0 });
  const domain = await registeredDomain(table);
  await storeDmarc(store, domain, dmarcReport('2026-01-05T12:00:00Z'));
  const window = { from: '2026-01-05T13:30:00.000Z', until: '2026-01-05T11:30:00.000Z' };
  expect(await store.list(domain.id, { window, page: 1, limit: 10 }, now)).toEqual({
    reports: [],
    hasMore: false,
    last: undefined,
    summary: { reports: 0, passed: 0, failed: 0 },
  });
});
