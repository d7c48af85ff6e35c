import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AlertSeverity } from '../../../../shared/alerts/alert.ts';
import { factsOf } from '../../../../shared/alerts/facts.ts';
import { type AlertFilter, type AlertStore, alertStore } from '../../../../shared/store/alerts/alerts.ts';
import type { AlertQuota } from '../../../../shared/store/alerts/dedupe-keys.ts';
import { monitorStateStore } from '../../../../shared/store/check-runs/monitor-states.ts';
import { deletionStore } from '../../../../shared/store/domains/deletions.ts';
import { type Domain, domainStore } from '../../../../shared/store/domains/domains.ts';
import { alertDedupeKey } from '../../../../shared/store/keys.ts';
import { organizationStore } from '../../../../shared/store/organizations.ts';
import { reportAlertDraft } from '../../../kit/alerts.ts';
import { raiseAlert } from '../../../kit/alongside.ts';
import { counted } from '../../../kit/capacity.ts';
import { itemsOf, registerDomain } from '../../../kit/reports.ts';
import { perfectResults } from '../../../kit/results.ts';
import { useTable } from '../../../kit/use-table.ts';

let organization: string;
let first: Domain;
let second: Domain;

const table = await useTable();
let alerts: AlertStore = alertStore(table, { retentionDays: 0 });

const start = Date.parse('2026-01-05T00:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1000);
const later = at(1_000_000);

const register = (name: string) => registerDomain(table, organization, name, at(0));

beforeEach(async () => {
  ({ id: organization } = await organizationStore(table).create('An organization', at(0), randomUUID()));
  first = await register('example.org');
  second = await register('example.com');
});

const draft = reportAlertDraft;

const raise = (...given: [Domain, ReturnType<typeof draft>, Date]) => raiseAlert({ table, alerts }, ...given);

async function titles(
  filter: Partial<AlertFilter> = {},
  { page = 1, limit = 100, now = later }: { page?: number; limit?: number; now?: Date } = {},
): Promise<string[]> {
  const found = await alerts.list(organization, { unreadOnly: false, ...filter }, { page, limit }, now);
  return found.alerts.map(({ title }) => title);
}

describe('an alert', () => {
  test('is raised once per dedupe key', async () => {
    await Promise.all([1, 2, 3].map((second) => raise(first, draft('one'), at(second))));
    expect(await titles()).toEqual(['one']);
  });

  test('is raised again only after its days of silence, of which each use begins new ones', async () => {
    const day = (n: number) => at(n * 86_400);
    const use = (n: number) => raise(first, { ...draft('one'), againAfterSilence: true }, day(n));
    const usedOn = async (days: readonly number[]) => {
      for (const n of days) await use(n);
      return (await titles({}, { now: day(1000) })).length;
    };
    expect(await usedOn([0, 0, 1, 89, 178])).toBe(1);
    expect(await usedOn([268, 268])).toBe(2);
    // A mail that is read again later.
    expect(await usedOn([200, 357])).toBe(2);
    expect(await usedOn([447])).toBe(3);
  });

  test.each([1, 86_400])('is raised once if its first uses are concurrent, %i s apart', async (seconds) => {
    await Promise.all(
      [1, 2, 3].map((n) => raise(first, { ...draft('one'), againAfterSilence: true }, at(n * seconds))),
    );
    expect(await titles()).toEqual(['one']);
  });

  test('notes its use once a week, for which others do not wait', async () => {
    const quota = { authClass: 'authenticated', limit: 9 } as const;
    const use = async (n: number) => {
      const day = at(n * 86_400);
      const limits = { day: day.toISOString().slice(0, 10), quota };
      const again = [{ ...draft('one'), againAfterSilence: true }];
      const part = alerts.alongsideReport(first, again, limits, day);
      const writes = part.writes(await table.getMany(part.reads));
      if (writes.length > 0) await table.transact(writes);
      return writes;
    };
    await use(0);
    expect(await use(6)).toEqual([]);
    // Without a condition.
    const Item = { ...alertDedupeKey(first.id, 'one'), lastDay: '2026-01-12', expiresAt: expect.any(Number) };
    expect(await use(7)).toEqual([{ Put: { Item } }]);
    expect(await use(13)).toEqual([]);
  });

  test('is raised only within the quota of its class and day, also at the same time', async () => {
    const raised = async (titles: readonly string[], authClass: AlertQuota['authClass'], day: string) => {
      const limits = { day, quota: { authClass, limit: 2 } };
      const all = titles.map((title) => alerts.raise(first, [draft(title)], limits, at(0)));
      return (await Promise.all(all)).flat().length;
    };
    expect(await raised(['a', 'b', 'c', 'd'], 'authenticated', '2026-01-05')).toBe(2);
    expect(await raised(['e'], 'authenticated', '2026-01-05')).toBe(0);
    expect(await raised(['f', 'g', 'h'], 'unauthenticated', '2026-01-05')).toBe(2);
    expect(await raised(['i', 'j', 'k'], 'authenticated', '2026-01-06')).toBe(2);
  });

  test('about several days is raised once, whichever of them it is about', async () => {
    const quota = { authClass: 'authenticated', limit: 9 } as const;
    const during = (from: number, to: number) => {
      const [day, last] = [from, to].map((n) => `2026-01-0${n}`) as [string, string];
      return alerts.raise(first, [draft('one')], { day, to: last, list: 'senders', quota }, at(0));
    };
    const raised = [];
    for (const [from, to] of [
      [3, 4],
      [3, 5],
      [2, 3],
      [4, 4],
      [1, 3],
      [1, 2],
      [5, 6],
    ] as const)
      raised.push((await during(from, to)).length);
    expect(raised).toEqual([1, 0, 0, 0, 0, 0, 0]);
    const concurrent = await Promise.all([during(7, 8), during(8, 9), during(8, 8)]);
    expect(concurrent.flat()).toHaveLength(1);
  });

  test('is not raised for a deleted domain, and is deleted with its domain from every list', async () => {
    await raise(first, draft('one', 'critical'), at(1));
    await raise(second, draft('two', 'critical'), at(2));
    await domainStore(table).remove(first, at(3));
    await raise(first, draft('three'), at(4));
    await deletionStore(table).drain(first.id, () => 60_000);
    for (const severity of [undefined, 'critical'] as const) {
      for (const unreadOnly of [true, false]) expect(await titles({ severity, unreadOnly })).toEqual(['two']);
    }
  });

  test('is hidden after its expiry, even while it is still stored', async () => {
    alerts = alertStore(table, { retentionDays: 2 });
    await raise(first, draft('one'), at(0));
    const [{ id = '' } = {}] = (
      await alerts.list(organization, { unreadOnly: true }, { page: 1, limit: 1 }, at(0))
    ).alerts;
    expect(await titles({}, { now: at(2 * 86_400) })).toEqual(['one']);
    const expired = at(3 * 86_400);
    expect(await titles({}, { now: expired })).toEqual([]);
    expect(await alerts.markRead(organization, id, expired)).toBeUndefined();
    alerts = alertStore(table, { retentionDays: 0 });
  });
});

test('the alerts of a period are the newest 200 of each severity, whatever there are of another one', async () => {
  const period = { since: at(1).toISOString(), until: at(3).toISOString() };
  const store = async (severity: AlertSeverity, title: string, second: number, count: number) => {
    for (let n = 0; n < count; n += 20) {
      const drafts = Array.from({ length: Math.min(20, count - n) }, () => draft(title, severity));
      await table.transact(await alerts.writesOf(first, drafts, at(second)));
    }
  };
  const inPeriod = async () => {
    const found = await alerts.inPeriod(organization, period, later);
    const counts = Object.groupBy(found.alerts, ({ title }) => title);
    return [
      Object.entries(counts)
        .map(([title, all]) => `${all?.length} ${title}`)
        .toSorted(),
      found.hasMore,
    ];
  };
  await store('info', 'before', 0.999, 1);
  await store('info', 'first', 1, 1);
  await store('warning', 'old', 2, 1);
  await store('warning', 'new', 2.999, 199);
  await store('critical', 'after', 3, 1);
  expect(await inPeriod()).toEqual([['1 first', '1 old', '199 new'], false]);
  await store('warning', 'new', 2.999, 1);
  expect(await inPeriod()).toEqual([['1 first', '200 new'], true]);
});

describe('the list of alerts', () => {
  beforeEach(async () => {
    await raise(first, draft('1 info'), at(1));
    await raise(first, draft('2 warning', 'warning'), at(2));
    await raise(second, draft('3 warning', 'warning'), at(3));
    await raise(second, draft('4 critical', 'critical'), at(4));
    await raise(first, draft('5 warning', 'warning'), at(5));
    const page = await alerts.list(organization, { unreadOnly: false }, { page: 1, limit: 100 }, later);
    for (const { id, title } of page.alerts) {
      if (/^[15]/.test(title)) await alerts.markRead(organization, id, later);
    }
  });

  test.each<[string, Partial<Omit<AlertFilter, 'domainId'>>, boolean, string[]]>([
    ['everything, newest first', {}, false, ['5 warning', '4 critical', '3 warning', '2 warning', '1 info']],
    ['one severity', { severity: 'warning' }, false, ['5 warning', '3 warning', '2 warning']],
    ['unread alerts', { unreadOnly: true }, false, ['4 critical', '3 warning', '2 warning']],
    [
      'unread alerts of one severity',
      { unreadOnly: true, severity: 'warning' },
      false,
      ['3 warning', '2 warning'],
    ],
    ['one domain', {}, true, ['5 warning', '2 warning', '1 info']],
    ['one severity of a domain', { severity: 'info' }, true, ['1 info']],
    ['unread alerts of a domain', { unreadOnly: true }, true, ['2 warning']],
    ['all filters together', { unreadOnly: true, severity: 'info' }, true, []],
  ])('shows %s', async (_title, filter, ofFirst, expected) => {
    const all = { ...filter, ...(ofFirst ? { domainId: first.id } : {}) };
    expect(await titles(all)).toEqual(expected);
    const pages = await Promise.all([1, 2, 3].map((page) => titles(all, { page, limit: 2 })));
    expect(pages.flat()).toEqual(expected);
  });

  test('shows each cause once, with the number of its alerts, page by page', async () => {
    const causes = async (filter: Partial<AlertFilter>, page = { page: 1, limit: 9 }) => {
      const found = await alerts.listCauses(organization, { unreadOnly: false, ...filter }, page, later);
      return [...found.groups.map(({ newest, count }) => `${newest.title}: ${count}`), found.hasMore];
    };
    expect(await causes({})).toEqual(['5 warning: 2', '4 critical: 1', '3 warning: 1', '1 info: 1', false]);
    expect(await causes({}, { page: 1, limit: 2 })).toEqual(['5 warning: 2', '4 critical: 1', true]);
    expect(await causes({}, { page: 2, limit: 2 })).toEqual(['3 warning: 1', '1 info: 1', false]);
    expect(await causes({ unreadOnly: true, severity: 'warning' })).toEqual([
      '3 warning: 1',
      '2 warning: 1',
      false,
    ]);
  });

  test('reads at most 500 alerts to group them', async () => {
    const limits: number[] = [];
    const page: typeof table.page = (query, schema, given) => {
      limits.push(given.limit);
      return table.page(query, schema, given);
    };
    const bounded = alertStore({ ...table, page }, { retentionDays: 0 });
    await bounded.listCauses(organization, { unreadOnly: false }, { page: 9, limit: 100 }, later);
    expect(limits).toEqual([500]);
  });

  test('of one organization contains no alert of another, and cannot mark those as read', async () => {
    const [alert] = (await alerts.list(organization, { unreadOnly: true }, { page: 1, limit: 1 }, later))
      .alerts;
    const other = randomUUID();
    expect(await alerts.markRead(other, alert?.id ?? '', later)).toBeUndefined();
    expect((await alerts.list(other, { unreadOnly: false }, { page: 1, limit: 9 }, later)).alerts).toEqual(
      [],
    );
    expect(await titles({ unreadOnly: true })).toHaveLength(3);
  });

  test('costs the same however many alerts are stored or read', async () => {
    const cost = async (filter: Partial<AlertFilter>): Promise<number> => {
      const { table: measured, capacity } = counted(table);
      const { list } = alertStore(measured, { retentionDays: 0 });
      await list(organization, { unreadOnly: false, ...filter }, { page: 1, limit: 2 }, later);
      return capacity.units().reads;
    };
    const filters: Partial<AlertFilter>[] = [
      {},
      { unreadOnly: true },
      { unreadOnly: true, severity: 'critical' },
      { domainId: second.id, unreadOnly: true },
    ];
    const before = await Promise.all(filters.map(cost));
    expect(Math.min(...before)).toBeGreaterThan(0);
    for (let more = 0; more < 100; more += 1) {
      await raise(second, draft(`more ${more}`, 'warning'), at(10 + more));
    }
    const { alerts: added } = await alerts.list(
      organization,
      { unreadOnly: true },
      { page: 1, limit: 100 },
      later,
    );
    for (const { id } of added) await alerts.markRead(organization, id, later);
    expect(await Promise.all(filters.map(cost))).toEqual(before);
    expect(await titles({ unreadOnly: true, severity: 'critical' })).toEqual(['4 critical']);
  });
});

describe('the monitor state of a domain', () => {
  const facts = factsOf(perfectResults('parked'), 'parked');
  const state = { baseline: facts, isBelowThreshold: false };

  test('reads back as it was stored', async () => {
    const monitorStates = monitorStateStore(table, alerts);
    expect(await monitorStates.get(first.id)).toEqual({ state: undefined, revision: 0 });
    expect(await monitorStates.keep(first, { state, revision: 0 }, [], at(1))).toBe('kept');
    expect(await monitorStates.get(first.id)).toEqual({
      state: JSON.parse(JSON.stringify(state)),
      revision: 1,
    });
  });

  test('is written together with its alerts or not at all: of concurrent check runs, one alerts', async () => {
    const monitorStates = monitorStateStore(table, alerts);
    const outcomes = await Promise.all(
      [1, 2, 3].map((second) =>
        monitorStates.keep(first, { state, revision: 0 }, [draft(`${second}`)], at(second)),
      ),
    );
    expect(outcomes.toSorted()).toEqual(['conflict', 'conflict', 'kept']);
    expect(await titles()).toHaveLength(1);
  });

  test('is not stored for a deleted domain', async () => {
    await domainStore(table).remove(first, at(1));
    expect(
      await monitorStateStore(table, alerts).keep(first, { state, revision: 0 }, [draft('one')], at(2)),
    ).toBe('gone');
    expect(await itemsOf(table, first)).toEqual([]);
  });
});
