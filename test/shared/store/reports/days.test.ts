/** When a day of reports is rolled up: the more reports it has, the less often. */
import { expect, test } from '@jest/globals';
import { reportDayKey } from '../../../../shared/store/keys.ts';
import { dayItem, dayUpdate, isDueInArchive, rollUpAfter } from '../../../../shared/store/reports/days.ts';
import { useTable } from '../../../kit/use-table.ts';

const day = '2026-03-01';
const change = { kind: 'TLS', begin: `${day}T06:00:00.000Z` } as const;
const numbers = Array.from({ length: 384 }, (_, n) => n);

const withReports = (reports: number) =>
  reports === 0 ? undefined : dayItem.parse({ day, reports, passed: 0, failed: 0 });

test('a day is rolled up after eight further reports, and with many after up to 32', () => {
  const due = numbers.filter((n) => rollUpAfter(change, withReports(n))?.earlier === false);
  const gaps = due.map((n, at) => n - (due[at - 1] ?? -1));
  expect(gaps).toEqual([...Array(16).fill(8), ...Array(8).fill(16), ...Array(4).fill(32)]);
});

test('the first report of a day has all earlier days rolled up, and a changed one its own', () => {
  expect(rollUpAfter(change, undefined)).toEqual({ kind: 'TLS', day, earlier: true });
  expect(rollUpAfter(change, withReports(1))).toBeNull();
  const before = { passed: 1, failed: 0 };
  expect(rollUpAfter({ ...change, before }, withReports(1))).toEqual({ kind: 'TLS', day, earlier: false });
});

test('an archive has a day rolled up whenever it gets to another 32 reports', () => {
  const due = numbers.filter((n) => isDueInArchive(withReports(n), 1));
  expect(due).toEqual([31, 63, 95, 127, 159, 191, 223, 255, 287, 319, 351, 383]);
  for (const [reports, added] of [
    [0, 32],
    [33, 31],
  ] as const)
    expect([added - 1, added].map((n) => isDueInArchive(withReports(reports), n))).toEqual([false, true]);
});

test('the item of a day counts what is new, replaced and deleted, and notes what is new', async () => {
  const table = await useTable();
  const reports = async (changed: Parameters<typeof dayUpdate>[1], isDeletion?: true) => {
    const kept = { kind: 'TLS', domainId: 'd', expiresAt: undefined } as const;
    await table.transact([dayUpdate(day, changed, { ...kept, ...(isDeletion && { isDeletion }) })]);
    return table.get(reportDayKey('TLS', 'd', day), dayItem);
  };
  const { begin } = change;
  const [before, after] = [
    { passed: 3, failed: 1 },
    { passed: 5, failed: 0 },
  ];
  const one = { begin, id: '1', counts: [3, 1] };
  expect(await reports([{ begin, id: '1', after: before }])).toMatchObject({
    ...{ reports: 1, ...before, changed: 0, deletions: 0, waiting: [one] },
  });
  const replaced = { begin, id: '1', before, after };
  expect(await reports([replaced, { begin, id: '2', after: before }])).toMatchObject({
    ...{ reports: 2, passed: 8, failed: 1, changed: 1, deletions: 0, waiting: [one, { ...one, id: '2' }] },
  });
  expect(await reports([{ begin, id: '1', before: after }], true)).toMatchObject({
    ...{ reports: 1, ...before, changed: 2, deletions: 1 },
  });
});
