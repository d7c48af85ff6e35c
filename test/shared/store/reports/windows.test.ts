/** Reports over random days and windows, compared with a direct count. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Domain } from '../../../../shared/store/domains/domains.ts';
import type { Window } from '../../../../shared/store/reports/days.ts';
import { dmarcReportStore } from '../../../../shared/store/reports/dmarc-reports.ts';
import { tlsReportStore } from '../../../../shared/store/reports/tls-reports.ts';
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
import { type EmptyTable, emptyTable } from '../../../kit/table.ts';

let table: EmptyTable;
beforeAll(async () => {
  table = await emptyTable();
});
afterAll(() => table.stop());

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

const stores = {
  DMARC: () => {
    const store = dmarcReportStore(table, { retentionDays: 0 });
    return {
      list: store.list,
      add: (
        domain: Domain,
        begin: string,
        { n, passed, failed }: { n: number; passed: number; failed: number },
      ) =>
        storeDmarc(
          store,
          domain,
          dmarcReport(
            begin,
            [
              row({ count: passed }),
              row({ count: failed, dkim: 'fail', spf: 'fail', sourceIp: `192.0.2.${n}` }),
            ],
            { reportId: `r${n}` },
          ),
        ),
    };
  },
  TLS: () => {
    const store = tlsReportStore(table, { retentionDays: 0 });
    return {
      list: store.list,
      add: (
        domain: Domain,
        begin: string,
        { n, passed, failed }: { n: number; passed: number; failed: number },
      ) =>
        storeTls(
          store,
          domain,
          tlsReport(begin, [policy({ successCount: passed, failureCount: failed })], { reportId: `r${n}` }),
        ),
    };
  },
};

describe.each(['DMARC', 'TLS'] as const)('%s reports', (kind) => {
  test.each([1, 2, 3])(
    'on random days: sums and pages of random windows equal a direct count (seed %i)',
    async (seed) => {
      const random = randomNumbers(seed);
      const store = stores[kind]();
      const domain = await registeredDomain(table);
      const known: Known[] = [];
      for (let n = 0; n < 80; n += 1) {
        const begin = randomBegin(random);
        const [passed, failed] = [random(1000), random(100)];
        const { id } = await store.add(domain, begin, { n, passed, failed });
        known.push({ id, begin, passed, failed });
      }
      for (let round = 0; round < 120; round += 1) {
        const window = randomWindow(random, known);
        const limit = 1 + random(round % 3 === 0 ? 100 : 12);
        const expected = naive(known, window);
        const page = 1 + random(Math.ceil(expected.ids.length / limit) + 2);
        const { reports, hasMore, summary } = await store.list(domain.id, { window, page, limit }, now);
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
      }
    },
    60_000,
  );
});

test('a window that ends before it begins is empty', async () => {
  const store = dmarcReportStore(table, { retentionDays: 0 });
  const domain = await registeredDomain(table);
  await storeDmarc(store, domain, dmarcReport('2026-01-05T12:00:00Z'));
  const window = { from: '2026-01-05T13:30:00.000Z', until: '2026-01-05T11:30:00.000Z' };
  expect(await store.list(domain.id, { window, page: 1, limit: 10 }, now)).toEqual({
    reports: [],
    hasMore: false,
    summary: { reports: 0, passed: 0, failed: 0 },
  });
});
