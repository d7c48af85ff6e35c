/** Conditions of the writes of pending notifications and deliveries: another worker, or an end, can always come first. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import type { AlertSeverity } from '../../../../shared/alerts/alert.ts';
import { correlated } from '../../../../shared/network/correlation.ts';
import {
  type DeliveryFilter,
  type DeliveryPage,
  deliveryStore,
} from '../../../../shared/store/alerts/deliveries.ts';
import {
  type MailPacing,
  notificationSettingsStore,
} from '../../../../shared/store/alerts/notification-settings.ts';
import {
  type PendingNotification,
  pendingNotificationStore,
  pendingWrites,
} from '../../../../shared/store/alerts/pending.ts';
import { ConditionsFailed } from '../../../../shared/store/items.ts';
import {
  deliveryKey,
  deliveryListKey,
  notificationShardOf,
  pendingKey,
} from '../../../../shared/store/keys.ts';
import type { Table } from '../../../../shared/store/table.ts';
import { madeDelivery } from '../../../kit/alerts.ts';
import { counted } from '../../../kit/capacity.ts';
import { useTable } from '../../../kit/use-table.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const LEASE = 60;

let organization: string;
const table = await useTable();
const deliveries = deliveryStore(table);
const pending = pendingNotificationStore(table);
beforeEach(() => {
  organization = crypto.randomUUID();
});

/** Makes an alert pending that is due now. */
async function pendingAlert(severity: AlertSeverity = 'info'): Promise<PendingNotification> {
  const subject = { organization, domainId: crypto.randomUUID(), alert: crypto.randomUUID(), severity };
  const due = { channel: 'mail', kind: 'alerts' } as const;
  await table.transact(pendingWrites(subject, [{ ...due, at: now }]));
  return { ...subject, ...due };
}

const pendingAlerts = (count: number) => Promise.all(Array.from({ length: count }, () => pendingAlert()));

/** The alerts of the organization that are due at a time, without those of others in its shard. */
async function dueAlerts(at = now, limit = 100): Promise<string[]> {
  const due = await pending.due('alerts', notificationShardOf(organization), { now: at, limit });
  return due.filter((one) => one.organization === organization).map(({ alert }) => alert);
}

const named = (given: Parameters<typeof madeDelivery>[0] = {}) =>
  madeDelivery({ id: crypto.randomUUID(), organization, createdAt: now.toISOString(), ...given });

/** Creates a delivery of these alerts, and returns its ID. */
async function create(alerts: readonly PendingNotification[], given = {}): Promise<string> {
  const delivery = named(given);
  expect(await deliveries.create(delivery, alerts)).toBe(true);
  return delivery.id;
}

async function claim(id: string, at = now) {
  const outcome = await deliveries.claim(id, { now: at, leaseSeconds: LEASE, sentAt: at });
  return outcome.status === 'claimed' ? outcome.lease : undefined;
}

async function leaseOf(id: string, at = now) {
  const lease = await claim(id, at);
  if (lease === undefined) throw new Error('the delivery cannot be claimed');
  return lease;
}

describe('pending alerts', () => {
  test('are due from their time on, at most as many as wanted', async () => {
    const { alert } = await pendingAlert();
    expect([await dueAlerts(later(-0.001)), await dueAlerts(now)]).toEqual([[], [alert]]);
    await pendingAlert();
    expect(await dueAlerts(now, 1)).toHaveLength(1);
  });

  test('are all postponed, however many they are', async () => {
    const alerts = await pendingAlerts(53);
    await pending.postpone(alerts, later(1));
    expect(await dueAlerts(now)).toEqual([]);
    expect(await dueAlerts(later(1))).toHaveLength(53);
    await pending.remove(alerts);
    expect(await dueAlerts(later(1))).toEqual([]);
  });

  test('do not come back when they are postponed after a delivery took them', async () => {
    const alert = await pendingAlert();
    await create([alert]);
    await pending.postpone([alert], later(1));
    const key = pendingKey(alert.domainId ?? '', 'mail', alert.alert);
    expect(await table.get(key, z.looseObject({}))).toBeUndefined();
  });
});

describe('a new delivery', () => {
  test('takes all of its alerts, or none if one is no longer pending', async () => {
    const [taken, left] = [await pendingAlert(), await pendingAlert()];
    await create([taken]);
    const delivery = named();
    expect(await deliveries.create(delivery, [left, taken])).toBe(false);
    expect(await deliveries.get(delivery.id)).toBeUndefined();
    expect(await dueAlerts()).toEqual([left.alert]);
  });

  test('is not made if the pause changed meanwhile', async () => {
    const create = (before: MailPacing, after: MailPacing) =>
      deliveries.create(named(), [], { before, after });
    const first = { pause: { until: later(60).toISOString(), seconds: 300 } };
    const second = { pause: { until: later(90).toISOString(), seconds: 600 } };
    const none = { pause: null };
    expect(await create(none, first)).toBe(true);
    for (const stale of [none, second]) expect(await create(stale, second)).toBe(false);
    expect(await notificationSettingsStore(table).get(organization)).toMatchObject(first);
    expect(await create(first, second)).toBe(true);
    expect(await notificationSettingsStore(table).get(organization)).toMatchObject(second);
  });

  test('is kept for 30 days, as is its entry in the list', async () => {
    const id = await create([]);
    const items = [deliveryKey(id), deliveryListKey(organization, id)].map((key) =>
      table.get(key, z.looseObject({})),
    );
    const expiresAt = later(30 * 86_400).getTime() / 1000;
    expect(await Promise.all(items)).toMatchObject([{ expiresAt }, { expiresAt }]);
  });

  test('that tests a channel, or repeats another one, has an ID of its own', async () => {
    const [one, other] = [named(), named()];
    await deliveries.createTest(one);
    await expect(deliveries.createTest(one)).rejects.toThrow(ConditionsFailed);
    await deliveries.createAgain(one, other);
    await expect(deliveries.createAgain(one, other)).rejects.toThrow(ConditionsFailed);
  });
});

describe('further alerts of a delivery', () => {
  test('are counted by severity, and no longer pending', async () => {
    const id = await create([]);
    const further = [await pendingAlert(), await pendingAlert('critical'), await pendingAlert('critical')];
    expect(await deliveries.addFurther({ id }, further)).toBe(true);
    expect((await deliveries.get(id))?.further).toEqual({ info: 1, warning: 0, critical: 2 });
    expect(await dueAlerts()).toEqual([]);
  });

  test('stay pending once a worker has claimed it, or if it is gone', async () => {
    const further = await pendingAlert();
    const id = await create([]);
    await leaseOf(id);
    expect(await deliveries.addFurther({ id }, [further])).toBe(false);
    expect((await deliveries.get(id))?.further.info).toBe(0);
    expect(await deliveries.addFurther({ id: crypto.randomUUID() }, [further])).toBe(false);
    expect(await dueAlerts()).toEqual([further.alert]);
  });
});

describe('the lease of a delivery', () => {
  test('ends with its last second', async () => {
    const id = await create([]);
    await leaseOf(id);
    expect(await claim(id, later(LEASE - 0.001))).toBeUndefined();
    expect(await claim(id, later(LEASE))).toMatchObject({ failures: 0, interruptions: 1 });
  });

  test('that another worker took over changes nothing when it fails or gives up', async () => {
    const id = await create([]);
    const slow = await leaseOf(id);
    await leaseOf(id, later(LEASE));
    await deliveries.fail(slow, { reason: 'slow', nextAt: later(LEASE) });
    await deliveries.giveUp(slow, { reason: 'slow' }, later(LEASE));
    expect(await deliveries.outcomeOf(organization, id)).toMatchObject({ status: 'pending', reason: null });
    expect(await claim(id, later(LEASE + 1))).toBeUndefined();
  });

  test('changes nothing of a delivery that was done meanwhile', async () => {
    const id = await create([]);
    const lease = await leaseOf(id);
    await deliveries.finish(lease, { outcome: 'delivered' }, now);
    const item = () => table.get(deliveryKey(id), z.looseObject({}));
    const done = await item();
    await deliveries.fail(lease, { reason: 'slow', nextAt: later(1) });
    await deliveries.giveUp(lease, { reason: 'slow' }, later(1));
    expect(await item()).toEqual(done);
    expect(await claim(id, later(LEASE + 1))).toBeUndefined();
  });

  test('does not bring back a delivery that expired', async () => {
    const id = await create([]);
    const lease = await leaseOf(id);
    await table.delete(deliveryKey(id));
    await deliveries.finish(lease, { outcome: 'delivered' }, now);
    expect(await table.get(deliveryKey(id), z.looseObject({}))).toBeUndefined();
  });

  test('of one that was given up is for messages that were sent later', async () => {
    const id = await create([]);
    await deliveries.giveUp(await leaseOf(id), { reason: 'refused' }, now);
    const claimFor = (sentAt: Date) => deliveries.claim(id, { now: later(1), leaseSeconds: LEASE, sentAt });
    expect(await claimFor(now)).toEqual({ status: 'given-up' });
    expect(await claimFor(later(0.001))).toMatchObject({
      status: 'claimed',
      lease: { failures: 0, interruptions: 0 },
    });
  });
});

describe('the messages of deliveries', () => {
  const due = async (at: Date) => {
    const found = await deliveries.due('alerts', notificationShardOf(organization), { now: at, limit: 100 });
    return found.filter(({ id }) => own.has(id));
  };
  const own = new Set<string>();

  test('are due again after a minute, unless a worker claimed the delivery meanwhile', async () => {
    const ids = [await create([]), await create([])] as const;
    for (const id of ids) own.add(id);
    expect(await due(later(59.999))).toEqual([]);
    const sent = await due(later(60));
    expect(sent.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const lease = await leaseOf(ids[0], later(60));
    await deliveries.markQueued(sent, later(60));
    expect(await due(later(119.999))).toEqual([]);
    await deliveries.fail(lease, { reason: 'refused', nextAt: later(600) });
    await deliveries.markQueued(sent, later(60));
    expect((await due(later(120))).map(({ id }) => id)).toEqual([ids[1]]);
  });
});

describe('the open deliveries of an organization', () => {
  test('are listed with the oldest first, of both kinds, without those that ended or are of others', async () => {
    const [first, second, third] = ['018f0000-a', '018f0000-b', '018f0000-c'].map(
      (id) => `${id}-${organization}`,
    ) as [string, string, string];
    await create([], { id: third, kind: 'digest' });
    await create([], { id: second });
    await create([], { id: first, kind: 'digest' });
    await deliveries.finish(await leaseOf(await create([])), { outcome: 'dropped' }, now);
    expect((await deliveries.open(organization)).map((one) => one.id)).toEqual([first, second, third]);
    expect(await deliveries.outcomeOf('another', first)).toBeUndefined();
  });
});

describe('a search among deliveries', () => {
  const idOf = (n: number) => `018f0000-${String(n).padStart(4, '0')}-${organization}`;
  const store = (n: number, given = {}) => deliveries.createOnce(named({ id: idOf(n), ...given }));

  async function search(filter: DeliveryFilter, page: Partial<DeliveryPage> = {}, on: Table = table) {
    const wanted = { page: 1, limit: 9, ...page };
    const found = await deliveryStore(on).search(organization, filter, wanted, now);
    if (found === 'too-many') return found;
    const numbers = found.deliveries.map(({ id }) => Number(id.split('-')[1]));
    return [numbers, found.hasMore, found.last];
  }

  test('finds those with a status, a channel or both, page by page', async () => {
    for (const [n, channel] of (['webhook', 'mail', 'webhook', 'mail'] as const).entries())
      await store(n, { channel });
    await deliveries.finish(await leaseOf(idOf(3)), { outcome: 'delivered' }, now);
    expect(await search({ channel: 'mail' })).toEqual([[3, 1], false, undefined]);
    expect(await search({ status: 'pending', channel: 'mail' })).toEqual([[1], false, undefined]);
    const pending = { status: 'pending' } as const;
    expect(await search(pending, { limit: 2 })).toEqual([[2, 1], true, idOf(1)]);
    for (const further of [{ page: 2 }, { after: idOf(1) }])
      expect(await search(pending, { limit: 2, ...further })).toEqual([[0], false, undefined]);
  });

  test('reads no more than its page needs, and ends after a thousand', async () => {
    // Deliveries that are gone by now, but for some.
    for (let n = 0; n <= 1000; n += 1) await table.put({ ...deliveryListKey(organization, idOf(n)) });
    for (const n of [0, 1, 900, 901, 1000]) await store(n);
    const { table: measured, capacity } = counted(table);
    const mails = { channel: 'mail' } as const;
    expect(await search(mails, { limit: 1 }, measured)).toEqual([[1000], true, idOf(1000)]);
    expect(capacity.sizes.splice(0)).toEqual([1001, 100]);
    expect(await search(mails, {}, measured)).toEqual([[1000, 901, 900, 1], true, idOf(1)]);
    expect(capacity.sizes).toEqual([1001, ...Array.from({ length: 10 }, () => 100)]);
    expect(await search(mails, { after: idOf(1) })).toEqual([[0], false, undefined]);
    expect(await search(mails, { page: 2 })).toBe('too-many');
    await table.delete(deliveryListKey(organization, idOf(2)));
    expect(await search(mails)).toEqual([[1000, 901, 900, 1, 0], false, undefined]);
    expect(await search(mails, { page: 2 })).toEqual([[], false, undefined]);
  });
});

describe('a delivery', () => {
  test('has alerts and events apart', async () => {
    const [alert, other] = [await pendingAlert(), await pendingAlert()];
    const about = { domainId: other.domainId ?? '', domainName: 'example.org' };
    const event = {
      type: 'domain.verified',
      id: other.alert,
      createdAt: now.toISOString(),
      ...about,
    } as const;
    const id = await create([alert, { ...other, event } as PendingNotification]);
    const alerts = [{ domainId: alert.domainId, id: alert.alert }];
    expect(await deliveries.get(id)).toMatchObject({ alerts, events: [event] });
  });

  test('names what raised its alerts, each once, up to 20', async () => {
    const correlations = async (runs: readonly string[]) => {
      for (const run of runs) await correlated(run, () => pendingAlert());
      const found = await pending.due('alerts', notificationShardOf(organization), { now, limit: 100 });
      const own = found.filter((one) => one.organization === organization);
      expect(own).toHaveLength(runs.length);
      return (await deliveries.get(await create(own)))?.correlations;
    };
    expect(await correlations([])).toBeUndefined();
    expect(await correlations(['run-1', 'run-1'])).toEqual(['run-1']);
    expect(new Set(await correlations(Array.from({ length: 21 }, (_, n) => `run-${n}`))).size).toBe(20);
  });
});
