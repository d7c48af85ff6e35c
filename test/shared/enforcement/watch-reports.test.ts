/** Reports that stop or never come, on a real table: items and alerts, once, whatever runs twice and wherever it dies. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ShownChange } from '../../../shared/alerts/shown-change.ts';
import { textOf } from '../../../shared/attention/kinds.ts';
import type { UsageType } from '../../../shared/checks/state.ts';
import { watchReports } from '../../../shared/enforcement/watch-reports.ts';
import type { DaySummary, ReportSummary } from '../../../shared/reports/dmarc/summary/shapes.ts';
import { alertStore } from '../../../shared/store/alerts/alerts.ts';
import { attentionStore } from '../../../shared/store/attention.ts';
import { historyStore } from '../../../shared/store/check-runs/history.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { attentionKey } from '../../../shared/store/keys.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { type SummaryStore, summaryStore } from '../../../shared/store/reports/summaries.ts';
import type { Table } from '../../../shared/store/table.ts';
import { unitsOfWatch } from '../../docs/cost.ts';
import { changesOn } from '../../kit/attention.ts';
import { counted } from '../../kit/capacity.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { dayNumber, history, ownMail, reportFrom } from '../../kit/report-history.ts';
import { dmarcReport, registeredDomain, row, storeDmarc } from '../../kit/reports.ts';
import { perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';
import { watchDependencies } from '../../kit/watch.ts';
import { zone } from '../../kit/zone.ts';

const MAILBOX = 'a1b2@reports.example';
const FIRST = 100;

let domain: Domain;
const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table);
});

interface Run {
  readonly usageType?: UsageType;
  readonly isNamed?: boolean | 'unknown';
  readonly isRunning?: boolean;
  readonly on?: Table;
  /** In place of `days`. */
  readonly summaries?: SummaryStore;
}

/** What a check run on day `n` does with these reports. */
async function run(n: number, days: readonly DaySummary[], given: Run = {}): Promise<void> {
  const { usageType = 'sends-and-receives', isNamed = true, isRunning = true, on = table } = given;
  const perfect = perfectResults('sends-and-receives');
  const rua = [`mailto:${isNamed === true ? MAILBOX : 'other@example.com'}`];
  const found = { record: `v=DMARC1; p=none; rua=${rua[0]}`, rua };
  const unknown = { state: 'unknown', record: null, rua: [] } as const;
  const results = { ...perfect, dmarc: { ...perfect.dmarc, ...(isNamed === 'unknown' ? unknown : found) } };
  const deps = watchDependencies(on, days);
  await watchReports(
    { ...domain, usageType, mailbox: MAILBOX },
    { ...deps, summaries: given.summaries ?? deps.summaries },
    { results, dns: zone({}), now: new Date(`${dayNumber(n)}T03:00:00Z`), isRunning },
  );
}

const from = (reporter: string, first: number, last: number, changes: Partial<ReportSummary> = {}) =>
  history(first, last, () => [reportFrom(reporter, [ownMail()], changes)]);

/** The days of several reporters together. */
const together = (...all: readonly (readonly DaySummary[])[]): DaySummary[] =>
  [...Map.groupBy(all.flat(), ({ day }) => day)]
    .map(([day, same]) => ({ day, summaries: same.flatMap(({ summaries }) => summaries) }))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1));

const items = async () => (await changesOn(table).open(domain.id)).map(({ kind }) => kind);

async function shown() {
  const [item] = await changesOn(table).open(domain.id);
  if (item === undefined) throw new Error('no item');
  const { title, detail } = textOf(item);
  return { since: item.since, title, detail };
}

async function alerts() {
  const page = { page: 1, limit: 100 };
  const filter = { unreadOnly: false };
  return (await alertStore(table, { retentionDays: 0 }).list(domain.organization, filter, page, new Date(0)))
    .alerts;
}

/** The record changed on this day from one without the mailbox to one that names it. */
async function asks(n: number, removed: readonly string[] = []): Promise<void> {
  const change: ShownChange = {
    check: 'dmarc',
    previousState: 'warning',
    newState: 'pass',
    recordsAdded: [`v=DMARC1; p=none; rua=mailto:${MAILBOX}`],
    recordsRemoved: [...removed],
    findingsAdded: [],
    findingsRemoved: [],
    omitted: 0,
  };
  const at = `${dayNumber(n)}T03:00:00.000Z`;
  await table.transact(
    historyStore(table, { retentionDays: 0 }).writesOf(domain.id, { checks: { at, changes: [change] } }),
  );
}

describe('reports that stop', () => {
  const all = from('one.example', FIRST, FIRST + 40);
  const lastDay = FIRST + 40;

  test('altogether: one item and one alert on the third overdue day, until reports come again', async () => {
    await run(lastDay + 4, all);
    expect([await items(), await alerts()]).toEqual([[], []]);
    for (const later of [5, 5, 6, 12, 20]) await run(lastDay + later, all);
    expect(await items()).toEqual(['reports-stopped']);
    expect(await alerts()).toEqual([
      expect.objectContaining({
        type: 'report_failure',
        severity: 'warning',
        title: 'DMARC reports stopped: example.org',
        metadata: {
          about: 'stopped-reports',
          stoppedReporter: null,
          lastDay: dayNumber(lastDay),
          reportDays: 30,
        },
      }),
    ]);
    const back = [...all, ...from('one.example', lastDay + 20, lastDay + 20)];
    await run(lastDay + 21, back);
    expect(await items()).toEqual([]);
    expect(await alerts()).toHaveLength(1);
  });

  test('item and alert say whether the latest check found the mailbox in the rua tag', async () => {
    for (const [at, [isNamed, said]] of (
      [
        [false, 'did not find;'],
        [true, 'found;'],
        ['unknown', 'could not find out;'],
      ] as const
    ).entries()) {
      await run(lastDay + 5 + at, all, { isNamed });
      const { since, detail } = await shown();
      expect(detail).toContain(`mailto:${MAILBOX}, which the latest check ${said}`);
      expect(detail).toContain('"v=DMARC1" exists at example.org._report._dmarc.reports.example ');
      expect(since).toBe(`${dayNumber(lastDay + 1)}T00:00:00.000Z`);
      if (at === 0) expect((await alerts())[0]?.message).toBe(detail);
    }
  });

  test('altogether and for good: open while the record asks for reports', async () => {
    await run(lastDay + 5, all);
    await run(lastDay + 200, all);
    await run(lastDay + 201, all, { isNamed: 'unknown' });
    expect(await items()).toEqual(['reports-stopped']);
    await run(lastDay + 202, all, { isNamed: false });
    expect(await items()).toEqual([]);
    expect(await alerts()).toHaveLength(1);
  });

  test('of one reporter: named in item and alert, and no more when it is gone', async () => {
    const days = together(all, from('other.example', FIRST, FIRST + 90));
    await run(lastDay + 6, days);
    expect(await items()).toEqual([]);
    for (const later of [7, 8, 20, 32]) await run(lastDay + later, days);
    expect((await shown()).title).toBe('DMARC reports of one.example about example.org stopped');
    expect((await alerts()).map(({ title, metadata }) => [title, metadata])).toEqual([
      [
        'DMARC reports of one.example stopped: example.org',
        {
          about: 'stopped-reports',
          stoppedReporter: 'one.example',
          lastDay: dayNumber(lastDay),
          reportDays: 30,
        },
      ],
    ]);
    await run(lastDay + 33, days);
    expect(await items()).toEqual([]);
  });

  test('of many reporters on one day: five alerts, and one item that counts them', async () => {
    const many = Array.from({ length: 9 }, (_, at) => from(`r${at}.example`, FIRST, lastDay));
    await run(lastDay + 7, together(...many, from('other.example', FIRST, FIRST + 90)));
    expect(await alerts()).toHaveLength(5);
    expect((await shown()).detail).toContain('The reports of 6 more reporters stopped, too.');
  });

  test('a person who put the item off sees it again only when it is time', async () => {
    await run(lastDay + 5, all);
    const [item] = await changesOn(table).open(domain.id);
    if (item === undefined) throw new Error('no item');
    await attentionStore(table).putOff(
      attentionKey(domain.id, item.kind),
      item,
      { until: dayNumber(lastDay + 60), note: 'Moving' },
      new Date(),
    );
    await run(lastDay + 6, all, { isNamed: false });
    expect(await changesOn(table).open(domain.id)).toEqual([
      expect.objectContaining({ note: 'Moving', putOffUntil: dayNumber(lastDay + 60) }),
    ]);
  });

  test.each([
    ['a domain that sends no mail', { usageType: 'parked' }],
    ['a domain that only receives', { usageType: 'receives-only' }],
    ['the first run after a pause of the service', { isRunning: false }],
  ] as const)('nothing begins for %s', async (_, given) => {
    await run(lastDay + 5, all, given);
    expect([await items(), await alerts()]).toEqual([[], []]);
  });

  test('the item closes if the domain sends no mail any more', async () => {
    await run(lastDay + 5, all);
    await run(lastDay + 6, all, { usageType: 'parked' });
    expect(await items()).toEqual([]);
  });

  test('forged reports neither hide nor cause a silence', async () => {
    const forged = { authenticated: false, authenticatedDomain: null };
    await run(lastDay + 5, from('one.example', FIRST, lastDay, forged));
    expect([await items(), await alerts()]).toEqual([[], []]);
    await run(lastDay + 5, together(all, from('one.example', FIRST, lastDay + 4, forged)));
    expect([await items(), (await alerts()).length]).toEqual([['reports-stopped'], 1]);
  });
});

describe('reports that never come', () => {
  const DAY = FIRST;

  test('one item when the record has asked for seven days, until the first report', async () => {
    await asks(DAY);
    await run(DAY + 6, []);
    expect(await items()).toEqual([]);
    for (const later of [7, 7, 8]) await run(DAY + later, []);
    expect(await items()).toEqual(['reports-never-came']);
    const { since, detail } = await shown();
    expect(since).toBe(`${dayNumber(DAY)}T03:00:00.000Z`);
    expect(detail).toContain('_report._dmarc.reports.example');
    expect(await alerts()).toEqual([]);
    await run(DAY + 9, from('one.example', DAY + 8, DAY + 8));
    expect(await items()).toEqual([]);
  });

  test('a change of the record that keeps the mailbox does not begin anew', async () => {
    await asks(DAY);
    await asks(DAY + 5, [`v=DMARC1; p=none; pct=50; rua=mailto:${MAILBOX}`]);
    await run(DAY + 7, []);
    expect(await items()).toEqual(['reports-never-came']);
  });

  test.each([
    ['the record names another mailbox', { isNamed: false }],
    ['the record is unknown', { isNamed: 'unknown' }],
    ['the domain sends no mail', { usageType: 'parked' }],
    ['the service paused', { isRunning: false }],
  ] as const)('nothing opens if %s', async (_, given) => {
    await asks(DAY);
    await run(DAY + 30, [], given);
    expect(await items()).toEqual([]);
  });

  test('a failed lookup does not close the item, and a record that no longer asks does', async () => {
    await asks(DAY);
    await run(DAY + 7, []);
    await run(DAY + 8, [], { isNamed: 'unknown' });
    expect(await items()).toEqual(['reports-never-came']);
    await run(DAY + 9, [], { isNamed: false });
    expect(await items()).toEqual([]);
  });

  test('reports of last year have come, and forged ones have not', async () => {
    await asks(DAY);
    await run(DAY + 300, from('one.example', DAY + 10, DAY + 11));
    expect(await items()).toEqual([]);
    await run(DAY + 300, from('one.example', DAY + 10, DAY + 290, { authenticated: false }));
    expect(await items()).toEqual(['reports-never-came']);
  });
});

test.each([
  [1, 'before'],
  [1, 'after'],
  [2, 'before'],
  [2, 'after'],
] as const)('a run that dies at write %i, %s it, is completed by the next one', async (n, when) => {
  const days = from('one.example', FIRST, FIRST + 40);
  const dying = dyingAt(table, n, when);
  await unlessItDies(run(FIRST + 45, days, { on: dying }));
  expect(dying.died()).toBe(true);
  await Promise.all([run(FIRST + 45, days), run(FIRST + 45, days)]);
  expect([await items(), (await alerts()).length]).toEqual([['reports-stopped'], 1]);
  const again = together(days, from('one.example', FIRST + 46, FIRST + 46));
  await unlessItDies(run(FIRST + 47, again, { on: dyingAt(table, n, when) }));
  await run(FIRST + 47, again);
  expect(await items()).toEqual([]);
});

test('nothing is left of a domain that is removed meanwhile', async () => {
  await domainStore(table).remove(domain, new Date());
  await run(FIRST + 45, from('one.example', FIRST, FIRST + 40));
  expect([await items(), await alerts()]).toEqual([[], []]);
});

test('the cost: a run reads two months of summaries and nothing else of the reports', async () => {
  const { table: counting, capacity } = counted(table);
  const reports = dmarcReportStore(table, { retentionDays: 0 });
  const summaries = summaryStore(counting);
  for (let n = FIRST - 70; n < FIRST; n += 1) {
    for (const reportId of ['a', 'b', 'c', 'd', 'e']) {
      const rows = Array.from({ length: 5 }, (_, at) => row({ sourceIp: `192.0.2.${at}` }));
      await storeDmarc(reports, domain, dmarcReport(`${dayNumber(n)}T00:00:00Z`, rows, { reportId }));
    }
    const now = new Date();
    await summaries.rollUp(
      domain,
      { kind: 'DMARC', day: dayNumber(n), earlier: false },
      { now, hasTime: () => true },
    );
  }
  const before = capacity.units();
  await run(FIRST, [], { on: counting, summaries });
  const after = capacity.units();
  expect(after.writes - before.writes).toBe(0);
  expect(after.reads - before.reads).toBe(0.5 + unitsOfWatch.reads);
});
