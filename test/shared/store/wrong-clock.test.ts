/** What a clock that was a day ahead left behind keeps nothing waiting after it was corrected. */
import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { gather } from '../../../shared/notify/gather.ts';
import { gatherDigests } from '../../../shared/notify/gather-digests.ts';
import { channelStore } from '../../../shared/store/alerts/channels.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { digestPlanStore } from '../../../shared/store/alerts/digest-plans.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { pendingNotificationStore, pendingWrites } from '../../../shared/store/alerts/pending.ts';
import { scheduleStore } from '../../../shared/store/domains/schedule.ts';
import { assessmentStore } from '../../../shared/store/enforcement/assessments.ts';
import { idempotencyStore } from '../../../shared/store/idempotency.ts';
import { notificationShardOf, notificationShards } from '../../../shared/store/keys.ts';
import { organizationSumsStore } from '../../../shared/store/reports/domain-sums.ts';
import { latestTime } from '../../../shared/store/wrong-clock.ts';
import { testCipher } from '../../kit/cipher.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const DAY = 86_400_000;
const ahead = later(DAY);

const table = await useTable();

const settings = { address: 'a@example.org', threshold: 'info', digestMinute: null } as const;

const raise = (organization: string, alert: string, kind: 'alerts' | 'digest', at: Date) =>
  table.transact(
    pendingWrites({ organization, domainId: 'domain', alert, severity: 'info' }, [
      { channel: 'mail', kind, at },
    ]),
  );

test('the clocks of hosts may differ by a minute', () => {
  expect(latestTime(now)).toBe('2026-03-01T12:01:00.000Z');
  expect(latestTime(now, DAY)).toBe('2026-03-02T12:01:00.000Z');
});

describe('a claim of a domain', () => {
  const dueAt = now.toISOString();

  test('is not refused because of a later turn that is in the future, but because of one that is not', async () => {
    const { organization, id } = await registeredDomain(table, 'turn.example');
    const schedule = scheduleStore(table);
    const due = { organization, id, dueAt };
    expect(await schedule.claim({ ...due, dueAt: ahead.toISOString() }, ahead, 60)).toBe(true);
    expect(await schedule.claim(due, now, 60)).toBe(true);
    await schedule.finish(due);
    expect(await schedule.claim(due, later(1000), 60)).toBe(false);
    expect(await schedule.claim({ ...due, dueAt: later(-1).toISOString() }, now, 60)).toBe(false);
  });

  test('is not refused because of a lease that is longer than leases are', async () => {
    const { organization, id } = await registeredDomain(table, 'lease.example');
    const schedule = scheduleStore(table);
    const due = { organization, id, dueAt };
    expect(await schedule.claim(due, ahead, 60)).toBe(true);
    expect(await schedule.claim(due, now, 60)).toBe(true);
    expect(await schedule.claim(due, later(59_000), 60)).toBe(false);
    await schedule.finish(due);
    expect(await schedule.claim(due, later(DAY), 60)).toBe(false);
  });
});

describe('notifications', () => {
  const shards = [...notificationShards];

  async function gathered(kind: 'alerts' | 'digest', at: Date): Promise<string[]> {
    const queued: string[] = [];
    const stores = {
      pending: pendingNotificationStore(table),
      deliveries: deliveryStore(table),
      settings: notificationSettingsStore(table),
    };
    const enqueue = async (ids: readonly string[]) => void queued.push(...ids);
    const run = { shards, now: at, remainingMilliseconds: () => 60_000 };
    const plans = digestPlanStore(table);
    await (kind === 'alerts'
      ? gather({ ...stores, enqueue }, run)
      : gatherDigests({ ...stores, plans, enqueue }, run));
    return queued;
  }

  test('that wait for a pause of the wrong clock are sent', async () => {
    await channelStore(table, testCipher).setMail('paused', settings);
    await raise('paused', 'first', 'alerts', ahead);
    // Sent by the wrong clock, which starts a pause; the second one waits for its end.
    expect(await gathered('alerts', ahead)).toHaveLength(1);
    await raise('paused', 'second', 'alerts', ahead);
    expect(await gathered('alerts', later(DAY + 1000))).toEqual([]);
    // The first run makes it due, and at the latest the second one sends it.
    const sent = new Set([...(await gathered('alerts', now)), ...(await gathered('alerts', later(60_000)))]);
    const found = await Promise.all([...sent].map((id) => deliveryStore(table).get(id)));
    expect(found.map((one) => one?.alerts.map(({ id }) => id)).toSorted()).toEqual([['first'], ['second']]);
  });

  test('of a digest that the wrong clock sent are sent with the next one', async () => {
    await channelStore(table, testCipher).setMail('digest', { ...settings, digestMinute: 600 });
    const farAhead = (days: number) => later((30 + days) * DAY);
    expect(await gathered('digest', farAhead(0))).toEqual([]);
    const [sent] = await gathered('digest', farAhead(1));
    // The delivery that the wrong clock made; the plan gets the time that the right clock finds.
    expect(await gathered('digest', later(1000))).toEqual([sent]);
    const [next, ...more] = (await gathered('digest', later(DAY + 1000))).filter((id) => id !== sent);
    expect(more).toEqual([]);
    const { createdAt, period } = (await deliveryStore(table).get(next ?? '')) ?? {};
    expect(createdAt).toBe(later(DAY + 1000).toISOString());
    // From a day before the planned time, 10:00, until now; both are five minutes back.
    expect([period?.since, period?.until]).toEqual(['2026-03-01T09:55:00.000Z', '2026-03-02T11:55:01.000Z']);
  });

  test('whose delivery the wrong clock claimed can be claimed again', async () => {
    const deliveries = deliveryStore(table);
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    const createdAt = now.toISOString();
    await deliveries.createTest({ id, organization: 'claimed', channel: 'mail', createdAt });
    const claim = async (at: Date) =>
      (await deliveries.claim(id, { now: at, leaseSeconds: 60, sentAt: at })).status;
    expect([await claim(ahead), await claim(later(DAY + 1000))]).toEqual(['claimed', 'not-due']);
    expect(await gathered('alerts', later(2000))).toContain(id);
    expect([await claim(now), await claim(later(1000))]).toEqual(['claimed', 'not-due']);
  });
});

test('what the wrong clock calculated is calculated again', async () => {
  const assessments = assessmentStore(table, z.string());
  await assessments.keep('domain', 'basis', 'assessed', ahead);
  expect(await assessments.recent('domain', 'basis', ahead)).toMatchObject({ assessment: 'assessed' });
  expect(await assessments.recent('domain', 'basis', now)).toBeUndefined();
  const sums = organizationSumsStore(table, z.string());
  await sums.keep('org', 'summed', later(DAY + 3_600_000));
  expect(await sums.recent('org', ahead)).toBe('summed');
  expect(await sums.recent('org', now)).toBeUndefined();
});

test('a request that was interrupted under the wrong clock can be repeated', async () => {
  const requests = idempotencyStore(table);
  const request = { tokenId: 'token', keyHash: 'hash', fingerprint: 'print' };
  const claim = async (at: Date) => (await requests.claim(request, at, 30)).status;
  expect([await claim(ahead), await claim(ahead)]).toEqual(['claimed', 'in-progress']);
  expect([await claim(now), await claim(later(1000))]).toEqual(['claimed', 'in-progress']);
});

const [HOUR, MINUTE] = [3_600_000, 60_000];

interface Wait {
  readonly what: string;
  readonly longest: number;
  readonly plan: (organization: string, at: Date) => Promise<unknown>;
  readonly tooFarAhead: (shard: number, wanted: { now: Date; limit: number }) => Promise<readonly unknown[]>;
}

const pending = pendingNotificationStore(table);
const waits: readonly Wait[] = [
  {
    ...{ what: 'an alert', longest: HOUR },
    plan: (organization, at) => raise(organization, 'alert', 'alerts', at),
    tooFarAhead: (shard, wanted) => pending.tooFarAhead('alerts', shard, wanted),
  },
  {
    ...{ what: 'an alert for a digest', longest: 8 * DAY },
    plan: (organization, at) => raise(organization, 'alert', 'digest', at),
    tooFarAhead: (shard, wanted) => pending.tooFarAhead('digest', shard, wanted),
  },
  {
    ...{ what: 'a digest', longest: 8 * DAY },
    plan: async (organization, at) => {
      await channelStore(table, testCipher).setMail(organization, { ...settings, digestMinute: 600 });
      await digestPlanStore(table).set({ organization, at: '0', isOpen: true }, at);
    },
    tooFarAhead: digestPlanStore(table).tooFarAhead,
  },
  {
    ...{ what: 'a delivery', longest: 12 * HOUR + MINUTE },
    plan: async (organization, at) => {
      const delivery = { id: crypto.randomUUID(), organization, channel: 'mail' } as const;
      await deliveryStore(table).createTest({ ...delivery, createdAt: at.toISOString() });
    },
    tooFarAhead: (shard, wanted) => deliveryStore(table).tooFarAhead('alerts', shard, wanted),
  },
];

test.each(waits)(
  '$what that waits as long as it can is not too far ahead',
  async ({ longest, plan, tooFarAhead }) => {
    const at = later(999 * DAY);
    const organization = crypto.randomUUID();
    await plan(organization, new Date(at.getTime() + longest + MINUTE));
    const shard = notificationShardOf(organization);
    expect(await tooFarAhead(shard, { now: at, limit: 9 })).toHaveLength(0);
    expect(await tooFarAhead(shard, { now: new Date(at.getTime() - 1), limit: 9 })).toHaveLength(1);
  },
);
