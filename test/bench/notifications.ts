/**
 * How fast urgent notifications are gathered beside a backlog of digests, and what a notification costs the gathering
 * process. The database runs in another process, so that the CPU time is only that of the function.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { triggers } from '../../functions/triggers.ts';
import { ensureTable } from '../../lib/local/host/tables.ts';
import type { NotificationKind } from '../../shared/alerts/notification.ts';
import { gather } from '../../shared/notify/gather.ts';
import { gatherDigests } from '../../shared/notify/gather-digests.ts';
import { channelStore } from '../../shared/store/alerts/channels.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { digestPlanStore } from '../../shared/store/alerts/digest-plans.ts';
import { pendingNotificationStore, pendingWrites } from '../../shared/store/alerts/pending.ts';
import { digestPlanKey, notificationSettingsKey, notificationShards } from '../../shared/store/keys.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { anyone } from '../kit/aws-client.ts';
import { testCipher } from '../kit/cipher.ts';
import type { BenchRow } from './row.ts';

const SERVE = fileURLToPath(new URL('../lib/local/stores/dynamodb/serve.ts', import.meta.url));

/** Organizations whose digest is due. */
const BACKLOG = 8_000;
const URGENT = 1_000;
const ROUNDS = 3;

const PARTS = triggers.gatherNotifications.source.parts;
const allParts = Array.from({ length: PARTS }, (_, part) => part);

/** The number of organizations that are stored concurrently. */
const AT_ONCE = 20;

const now = new Date('2026-03-01T07:00:00.000Z');
const mail = { address: 'ops@example.org', threshold: 'warning', digestMinute: 6 * 60 } as const;

export async function benchNotifications(): Promise<readonly BenchRow[]> {
  const server = spawn(process.execPath, [SERVE, ':memory:'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(server.stdout, 'data');
    const client = new DynamoDBClient({ ...anyone(String(line).trim()), maxAttempts: 3 });
    const tables = { without: openTable('without', client), beside: openTable('beside', client) };
    for (const { name } of Object.values(tables)) await ensureTable(client, name);
    await storeDigests(tables.beside, BACKLOG);
    // The first round is not measured.
    const spent = { without: 0, beside: 0, cpu: 0 };
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const which of ['without', 'beside'] as const) {
        await storeAlerts(tables[which], URGENT);
        const { seconds, cpuSeconds } = await gathered(tables[which], 'alerts', allParts);
        if (round === 0) continue;
        spent[which] += seconds;
        spent.cpu += cpuSeconds / 2;
      }
    }
    const rate = (seconds: number) => (ROUNDS * URGENT) / seconds;
    const ratio = spent.without / spent.beside;
    const digests = await gathered(tables.beside, 'digest', [0]);
    return [
      {
        name: `Urgent notifications that an invocation gathers per second beside ${BACKLOG.toLocaleString('en')} digests that are due, compared with none`,
        value: `${Math.round(rate(spent.beside))} compared with ${Math.round(rate(spent.without))}: ${ratio.toFixed(2)} times; ${((1000 * spent.cpu) / (ROUNDS * URGENT)).toFixed(1)} ms of CPU time each`,
        goal: 'at least 0.8 times',
        met: ratio >= 0.8,
      },
      {
        name: `Digests gathered in CPU time, compared with four CPUs for a million in an hour`,
        value: `${((1000 * digests.cpuSeconds) / digests.deliveries).toFixed(1)} ms of CPU time each, ${Math.round(digests.deliveries / digests.seconds)} per second`,
        // Each of the four parts has 40 of 60 seconds.
        goal: 'at most 9.6 ms',
        met: digests.cpuSeconds / digests.deliveries <= 0.0096,
      },
    ];
  } finally {
    server.kill('SIGKILL');
  }
}

/** Stores settings of new organizations, and an alert of each that is due. */
const storeAlerts = (table: Table, organizations: number): Promise<void> =>
  each(organizations, async (organization) => {
    await channelStore(table, testCipher).setMail(organization, { ...mail, digestMinute: null });
    const alert = { organization, domainId: organization, alert: crypto.randomUUID() };
    await table.transact(
      pendingWrites({ ...alert, severity: 'critical' }, [{ channel: 'mail', kind: 'alerts', at: now }]),
    );
  });

/** Stores settings of new organizations, with a digest that is due. */
const storeDigests = (table: Table, organizations: number): Promise<void> =>
  each(organizations, async (organization) => {
    await channelStore(table, testCipher).setMail(organization, mail);
    const { gsi1pk, gsi1sk } = digestPlanKey(organization, now.toISOString());
    await table.update(notificationSettingsKey(organization), {
      UpdateExpression: 'SET gsi1pk = :part, gsi1sk = :at',
      ExpressionAttributeValues: { ':part': gsi1pk, ':at': gsi1sk },
    });
  });

async function each(count: number, store: (organization: string) => Promise<void>): Promise<void> {
  for (let n = 0; n < count; n += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => store(crypto.randomUUID())));
  }
}

/** Gathers everything that is due, as one invocation after the other does. */
async function gathered(table: Table, kind: NotificationKind, parts: readonly number[]) {
  let deliveries = 0;
  const deps = {
    plans: digestPlanStore(table),
    pending: pendingNotificationStore(table),
    deliveries: deliveryStore(table),
    settings: channelStore(table, testCipher),
    enqueue: async (ids: readonly string[]) => {
      deliveries += ids.length;
    },
  };
  const started = performance.now();
  const before = process.cpuUsage();
  for (const part of parts) {
    const shards = notificationShards.filter((shard) => shard % PARTS === part);
    await (kind === 'alerts' ? gather : gatherDigests)(deps, {
      shards,
      now,
      remainingMilliseconds: () => Number.POSITIVE_INFINITY,
    });
  }
  const { user, system } = process.cpuUsage(before);
  return {
    deliveries,
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: (user + system) / 1e6,
  };
}
