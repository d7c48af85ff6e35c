/**
 * How fast urgent notifications are gathered beside a backlog of digests, and what a notification costs the gathering
 * process. The database runs in another process, so that the CPU time is only that of the function.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { triggers } from '../../functions/triggers.ts';
import { ensureTable } from '../../lib/local/tables.ts';
import type { NotificationKind } from '../../shared/alerts/notification.ts';
import { gather } from '../../shared/notify/gather.ts';
import { channelStore } from '../../shared/store/alerts/channels.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { pendingNotificationStore, pendingWrites } from '../../shared/store/alerts/pending.ts';
import { notificationShards } from '../../shared/store/keys.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { testCipher } from '../kit/cipher.ts';
import type { BenchRow } from './row.ts';

const SERVE = fileURLToPath(new URL('../lib/local/dynamodb/serve.ts', import.meta.url));

/** Digests of 25 alerts: a domain whose 25 reporters each raise one alert a day. */
const BACKLOG = { organizations: 8_000, alerts: 25 };
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
    const client = new DynamoDBClient({
      endpoint: String(line).trim(),
      region: 'us-east-1',
      credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
    });
    const tables = { without: openTable('without', client), beside: openTable('beside', client) };
    for (const { name } of Object.values(tables)) await ensureTable(client, name);
    await store(tables.beside, 'digest', BACKLOG);
    // The first round is not measured.
    const spent = { without: 0, beside: 0, cpu: 0 };
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const which of ['without', 'beside'] as const) {
        await store(tables[which], 'alerts', { organizations: URGENT, alerts: 1 });
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
        name: `Urgent notifications that an invocation gathers per second beside ${(BACKLOG.organizations * BACKLOG.alerts).toLocaleString('en')} digest items that are due, compared with none`,
        value: `${Math.round(rate(spent.beside))} compared with ${Math.round(rate(spent.without))}: ${ratio.toFixed(2)} times; ${((1000 * spent.cpu) / (ROUNDS * URGENT)).toFixed(1)} ms of CPU time each`,
        goal: 'at least 0.8 times',
        met: ratio >= 0.8,
      },
      {
        name: `Digests of ${BACKLOG.alerts} alerts gathered in CPU time, compared with four CPUs for a million in an hour`,
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

/** Stores settings and due notifications of new organizations. */
async function store(
  table: Table,
  kind: NotificationKind,
  { organizations, alerts }: { organizations: number; alerts: number },
): Promise<void> {
  const settings = channelStore(table, testCipher);
  const storeOne = async () => {
    const organization = crypto.randomUUID();
    await settings.setMail(organization, mail);
    const writes = Array.from({ length: alerts }, () => ({
      ...{ organization, domainId: organization, alert: crypto.randomUUID() },
      severity: kind === 'digest' ? ('info' as const) : ('critical' as const),
    })).flatMap((alert) => pendingWrites(alert, [{ channel: 'mail', kind, at: now }]));
    const requests = writes.flatMap((write) =>
      'Put' in write ? [{ PutRequest: { Item: write.Put.Item } }] : [],
    );
    await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
  };
  for (let n = 0; n < organizations; n += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, storeOne));
  }
}

/** Gathers everything that is due, as one invocation after the other does. */
async function gathered(table: Table, kind: NotificationKind, parts: readonly number[]) {
  let deliveries = 0;
  const deps = {
    kind,
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
    await gather(deps, { shards, now, remainingMilliseconds: () => Number.POSITIVE_INFINITY });
  }
  const { user, system } = process.cpuUsage(before);
  return {
    deliveries,
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: (user + system) / 1e6,
  };
}
