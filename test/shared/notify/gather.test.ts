import { expect, test } from '@jest/globals';
import { type GatherDependencies, gather } from '../../../shared/notify/gather.ts';
import { pauseAfterMail } from '../../../shared/notify/pause.ts';
import { noSettings } from '../../../shared/store/alerts/notification-settings.ts';
import type { PendingNotification } from '../../../shared/store/alerts/pending.ts';

const now = new Date('2026-03-01T07:00:00.000Z');
const mail = {
  address: 'ops@example.org',
  threshold: 'info',
  digestMinute: null,
  digestWeekday: null,
  digestTimeZone: 'UTC',
} as const;

/** A mail for each organization with this many alerts; all are in one shard, in the order of the index. */
function inMemory(alerts: Readonly<Record<string, number>>) {
  const due = new Set(
    Object.entries(alerts).flatMap(([organization, count]) =>
      Array.from(
        { length: count },
        (_, n): PendingNotification => ({
          ...{ organization, domainId: 'd', alert: `${organization} ${n}` },
          ...{ severity: 'info', channel: 'mail', kind: 'alerts' },
        }),
      ),
    ),
  );
  const mails: string[] = [];
  let postponed = 0;
  const take = (pending: readonly PendingNotification[]) => {
    for (const one of pending) due.delete(one);
    return true;
  };
  const deps: GatherDependencies = {
    pending: {
      tooFarAhead: async () => [],
      due: async (_kind, _shard, { limit }) => [...due].slice(0, limit),
      postpone: async (pending) => {
        postponed += pending.length;
        take(pending);
      },
      remove: async () => undefined,
    },
    deliveries: {
      due: async () => [],
      tooFarAhead: async () => [],
      markQueued: async () => undefined,
      create: async ({ organization }, pending) => {
        mails.push(organization);
        return take(pending);
      },
      createOnce: async () => undefined,
      get: async () => undefined,
      finish: async () => undefined,
      addFurther: async (_delivery, pending) => take(pending),
    },
    settings: {
      get: async (organization) => ({
        ...noSettings,
        mail,
        pause: mails.includes(organization) ? pauseAfterMail(null, now) : null,
      }),
    },
    enqueue: async () => undefined,
  };
  return { deps, due, mails, postponed: () => postponed };
}

const run = { shards: [0], now, remainingMilliseconds: () => 60_000 };

test('a run gathers all alerts of a shard, and those of none of its organizations in two parts', async () => {
  const { deps, due, mails, postponed } = inMemory({ a: 15_000, b: 15_000, c: 15_000 });
  await gather(deps, run);
  expect([mails, due.size, postponed()]).toEqual([['a', 'b', 'c'], 0, 0]);
});

test('the alerts of an organization beyond 20,000 wait for its next mail', async () => {
  const { deps, due, mails, postponed } = inMemory({ a: 25_000, b: 1 });
  await gather(deps, run);
  expect([mails, due.size, postponed()]).toEqual([['a', 'b'], 0, 5_000]);
});

test('a run ends before its time does, and the next one goes on', async () => {
  const { deps, mails } = inMemory(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`o${n}`, 1])));
  const times = [60_000, 60_000, 5_000];
  await gather(deps, { ...run, remainingMilliseconds: () => times.shift() ?? 5_000 });
  expect(mails).toHaveLength(10);
  await gather(deps, run);
  expect(new Set(mails).size).toBe(30);
  expect(mails).toHaveLength(30);
});
