import { expect, test } from '@jest/globals';
import { type GatherDependencies, gather } from '../../../shared/notify/gather.ts';
import type { PendingNotification } from '../../../shared/store/alerts/pending.ts';

const now = new Date('2026-03-01T07:00:00.000Z');
const mail = { address: 'ops@example.org', threshold: 'warning', digestMinute: 6 * 60 } as const;

/** A digest for each organization with this many alerts; all are in one shard, in the order of the index. */
function inMemory(alerts: Readonly<Record<string, number>>) {
  const due = new Set(
    Object.entries(alerts).flatMap(([organization, count]) =>
      Array.from(
        { length: count },
        (_, n): PendingNotification => ({
          ...{ organization, domainId: 'd', alert: `${organization} ${n}` },
          ...{ severity: 'info', channel: 'mail', kind: 'digest' },
        }),
      ),
    ),
  );
  const digests: string[] = [];
  let postponed = 0;
  const take = (pending: readonly PendingNotification[]) => {
    for (const one of pending) due.delete(one);
    return true;
  };
  const deps: GatherDependencies = {
    kind: 'digest',
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
        digests.push(organization);
        return take(pending);
      },
      addFurther: async (_delivery, pending) => take(pending),
    },
    settings: {
      get: async (organization) => ({
        ...{ mail, webhook: null, pause: null, revision: 0 },
        lastDigestAt: digests.includes(organization) ? now.toISOString() : null,
      }),
    },
    enqueue: async () => undefined,
  };
  return { deps, due, digests, postponed: () => postponed };
}

const run = { shards: [0], now, remainingMilliseconds: () => 60_000 };

test('a run gathers all digests of a shard, and none of them in two parts', async () => {
  const { deps, due, digests, postponed } = inMemory({ a: 15_000, b: 15_000, c: 15_000 });
  await gather(deps, run);
  expect([digests, due.size, postponed()]).toEqual([['a', 'b', 'c'], 0, 0]);
});

test('the alerts of an organization beyond 20,000 wait for its next digest', async () => {
  const { deps, due, digests, postponed } = inMemory({ a: 25_000, b: 1 });
  await gather(deps, run);
  expect([digests, due.size, postponed()]).toEqual([['a', 'b'], 0, 5_000]);
});

test('a run ends before its time does, and the next one goes on', async () => {
  const { deps, digests } = inMemory(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`o${n}`, 1])));
  const times = [60_000, 60_000, 5_000];
  await gather(deps, { ...run, remainingMilliseconds: () => times.shift() ?? 5_000 });
  expect(digests).toHaveLength(10);
  await gather(deps, run);
  expect(new Set(digests).size).toBe(30);
  expect(digests).toHaveLength(30);
});
