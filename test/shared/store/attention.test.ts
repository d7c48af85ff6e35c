import { beforeEach, describe, expect, test } from '@jest/globals';
import { type AttentionFilter, attentionStore, MOST_COUNTED_ITEMS } from '../../../shared/store/attention.ts';
import type { AttentionItem } from '../../../shared/store/attention-items.ts';
import { attentionIndexKey, attentionKey } from '../../../shared/store/keys.ts';
import { closeItem, openItem } from '../../kit/attention.ts';
import { counted } from '../../kit/capacity.ts';
import { useTable } from '../../kit/use-table.ts';

const KIND = 'ownership-unproven';
const now = new Date('2026-03-10T12:00:00.000Z');
const since = (day: number) => `2026-01-${String(day).padStart(2, '0')}T08:00:00.000Z`;

let organization = 'o0';

const { table, capacity } = counted(await useTable());
const attention = attentionStore(table);
beforeEach(() => {
  organization = `${organization}x`;
});

const named = (name: string) => ({ id: `${organization}-${name}`, organization, domain: `${name}.example` });

const open = (name: string, day: number) => openItem(table, named(name), KIND, since(day));

/** An item as another release would store it: of another severity, or of a kind that this one does not know. */
async function openOther(name: string, day: number, given: { kind?: string; severity?: string }) {
  const { kind = KIND, severity = 'warning' } = given;
  const { id, domain } = named(name);
  const rank = ['critical', 'warning', 'info'].indexOf(severity);
  await table.put({
    ...attentionKey(id, kind),
    ...attentionIndexKey(organization, `${rank}#${kind}#${since(day)}#${id}`),
    ...{ domainId: id, domain, kind, severity, since: since(day) },
  });
}

async function listed(filter: AttentionFilter = {}, page = 1, limit = 50) {
  const { items, hasMore } = await attention.list(organization, filter, { page, limit }, now);
  return { domains: items.map(({ domain }) => domain?.replace('.example', '')), hasMore };
}

const names = async (filter: AttentionFilter = {}) => (await listed(filter)).domains;

async function itemOf(name: string): Promise<AttentionItem> {
  const item = await attention.get(attentionKey(named(name).id, KIND));
  if (item === undefined) throw new Error(`no item of ${name}`);
  return item;
}

const putOff = async (name: string, until: string | null, note: string | null = null) =>
  attention.putOff(attentionKey(named(name).id, KIND), await itemOf(name), { until, note }, now);

test('an item reads back as it was opened, opens once, and closes', async () => {
  await open('a', 1);
  await open('a', 1);
  const { id, domain } = named('a');
  const item = {
    ...{ domainId: id, domain, channel: null, kind: KIND, severity: 'warning', since: since(1) },
    about: { names: [], further: 0, on: null, reason: null, facts: null },
    ...{ mailbox: null, putOffUntil: null, note: null, changedAt: null },
  };
  expect(await itemOf('a')).toEqual(item);
  expect((await attention.list(organization, {}, { page: 1, limit: 9 }, now)).items).toEqual([item]);
  await closeItem(table, named('a'), KIND);
  await closeItem(table, named('a'), KIND);
  expect([await names(), await attention.get(attentionKey(id, KIND))]).toEqual([[], undefined]);
});

describe('the list', () => {
  beforeEach(async () => {
    await open('new', 9);
    await open('old', 2);
    await openOther('harmless', 1, { severity: 'info' });
    await openOther('urgent', 20, { severity: 'critical' });
    await openOther('unknown', 1, { kind: 'of-another-release' });
  });

  test('is worst first, then oldest first, without kinds of other releases, in pages', async () => {
    const all = ['urgent', 'old', 'new', 'harmless'];
    expect(await listed()).toEqual({ domains: all, hasMore: false });
    expect(await listed({}, 1, 3)).toEqual({ domains: all.slice(0, 3), hasMore: true });
    expect(await listed({}, 2, 3)).toEqual({ domains: all.slice(3), hasMore: false });
    expect(await listed({}, 3, 3)).toEqual({ domains: [], hasMore: false });
  });

  test.each<[AttentionFilter, string[]]>([
    [{ severity: 'warning' }, ['old', 'new']],
    [{ severity: 'critical' }, ['urgent']],
    [{ kind: KIND }, ['urgent', 'old', 'new', 'harmless']],
    [{ kind: KIND, severity: 'info' }, ['harmless']],
  ])('filters by %j', async (filter, expected) => {
    expect(await names(filter)).toEqual(expected);
  });

  test('filters by one domain and by several', async () => {
    expect(await names({ domainId: named('old').id })).toEqual(['old']);
    expect(await names({ domainId: named('old').id, severity: 'info' })).toEqual([]);
    expect(await names({ domainId: named('unknown').id })).toEqual([]);
    const domainIds = new Set([named('harmless').id, named('urgent').id]);
    expect(await names({ domainIds })).toEqual(['urgent', 'harmless']);
  });

  test('shows nothing of another organization', async () => {
    expect((await attention.list('other', {}, { page: 1, limit: 9 }, now)).items).toEqual([]);
  });
});

describe('an item that is put off', () => {
  test('is listed apart until its day begins', async () => {
    await open('a', 1);
    await open('b', 2);
    expect(await putOff('a', '2026-03-11', 'Waiting')).toMatchObject({ note: 'Waiting' });
    expect(await names({ putOff: false })).toEqual(['b']);
    expect(await names({ putOff: true })).toEqual(['a']);
    expect(await names()).toEqual(['a', 'b']);
    const [lastMoment, day] = [new Date('2026-03-10T23:59:59.999Z'), new Date('2026-03-11T00:00:00.000Z')];
    const at = async (time: Date, isPutOff: boolean) =>
      (await attention.list(organization, { putOff: isPutOff }, { page: 1, limit: 9 }, time)).items.length;
    expect([await at(lastMoment, false), await at(lastMoment, true)]).toEqual([1, 1]);
    expect([await at(day, false), await at(day, true)]).toEqual([2, 0]);
    await putOff('a', null);
    expect(await itemOf('a')).toMatchObject({ putOffUntil: null, note: null });
    expect(await names({ putOff: true })).toEqual([]);
  });

  test('is not put off if it was closed or changed since it was read', async () => {
    await open('a', 1);
    const [key, before] = [attentionKey(named('a').id, KIND), await itemOf('a')];
    expect(await attention.putOff(key, before, { until: '2026-03-20', note: null }, now)).toBeDefined();
    expect(await attention.putOff(key, before, { until: '2026-03-30', note: null }, now)).toBeUndefined();
    const changed = await itemOf('a');
    expect(changed.putOffUntil).toBe('2026-03-20');
    await closeItem(table, named('a'), KIND);
    expect(await attention.putOff(key, changed, { until: null, note: null }, now)).toBeUndefined();
    expect(await attention.get(key)).toBeUndefined();
  });

  test('is open as a new one when its condition begins again', async () => {
    await open('a', 1);
    await putOff('a', '2026-04-01', 'Sold');
    await closeItem(table, named('a'), KIND);
    await open('a', 5);
    expect(await itemOf('a')).toMatchObject({ putOffUntil: null, note: null, since: since(5) });
  });
});

test('items are counted by severity, without those that are put off, up to a maximum', async () => {
  await open('a', 1);
  await open('b', 2);
  await putOff('a', '2026-04-01');
  await openOther('urgent', 3, { severity: 'critical' });
  await openOther('unknown', 3, { kind: 'of-another-release' });
  const none = { count: 0, hasMore: false };
  const one = { count: 1, hasMore: false };
  expect(await attention.count(organization, now)).toEqual({ critical: one, warning: one, info: none });
  for (let n = 0; n < MOST_COUNTED_ITEMS; n += 1) await open(`n${n}`, 4);
  const { warning } = await attention.count(organization, now);
  // The first hundred contain the one that is put off and the one of another release.
  expect(warning).toEqual({ count: MOST_COUNTED_ITEMS - 2, hasMore: true });
  expect((await attention.count('other', now)).warning).toEqual(none);
});

test('many items that are put off take few requests', async () => {
  for (let n = 0; n < 300; n += 1) {
    await open(`n${n}`, 1);
    await putOff(`n${n}`, '2026-12-31');
  }
  await open('last', 2);
  capacity.sizes.length = 0;
  expect((await listed({ putOff: false }, 1, 5)).domains).toEqual(['last']);
  expect(capacity.sizes).toEqual([6, 12, 24, 48, 96, 192]);
});

test('a page costs the same with ten and with a thousand open items', async () => {
  const cost = async () => {
    capacity.by.clear();
    await listed({ putOff: false }, 1, 10);
    await listed({ severity: 'warning' }, 1, 10);
    await listed({ domainId: named('n5').id });
    return Object.fromEntries(capacity.by);
  };
  for (let n = 0; n < 11; n += 1) await open(`n${n}`, 1);
  const few = await cost();
  for (let n = 11; n < 1000; n += 1) await open(`n${n}`, 2);
  expect(await cost()).toEqual(few);
});

test('the first items of each kind cost a request for each kind and severity, however many are open', async () => {
  await openOther('urgent', 3, { severity: 'critical' });
  for (let n = 0; n < 120; n += 1) await openOther(`many${n}`, 1 + (n % 28), { kind: 'expiring' });
  for (let n = 0; n < 60; n += 1) await openOther(`later${n}`, 1, { kind: 'reports-stopped' });
  for (let n = 0; n < 60; n += 1) {
    const key = attentionKey(named(`later${n}`).id, 'reports-stopped');
    const item = await attention.get(key);
    if (item !== undefined) await attention.putOff(key, item, { until: '2026-04-01', note: null }, now);
  }
  await openOther('shown', 2, { kind: 'reports-stopped' });
  await openOther('strange', 1, { kind: 'of-another-release', severity: 'info' });
  await openOther('last', 1, { kind: 'sender-undecided', severity: 'info' });
  capacity.sizes.length = 0;
  const { items, more } = await attention.firstOfEach(organization, 3, now);
  expect(items.map(({ domain }) => domain?.replace('.example', ''))).toEqual([
    ...['urgent', 'many0', 'many112', 'many28', 'shown', 'last'],
  ]);
  expect([...more]).toEqual(['expiring']);
  expect(capacity.sizes).toEqual([40, 40, 40]);
});
