import { beforeEach, describe, expect, test } from '@jest/globals';
import { triggers } from '../../../functions/triggers.ts';
import type { AlertSeverity } from '../../../shared/alerts/alert.ts';
import { eventsOf } from '../../../shared/runtime/workers/trigger.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import {
  NOTIFICATION_SHARDS,
  notificationShardOf,
  notificationShards,
  pendingIndexKey,
  pendingKey,
} from '../../../shared/store/keys.ts';
import { unitsOfNotification } from '../../docs/cost.ts';
import { counted } from '../../kit/capacity.ts';
import { type NotificationService, notificationService } from '../../kit/notifications.ts';
import { type EmptyTable, sendingThrough } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const start = new Date('2026-03-01T10:00:00.000Z');
const MINUTE = 60_000;
const mail = { address: 'ops@example.org', threshold: 'warning', digestMinute: 6 * 60 } as const;
const webhook = { url: 'https://hook.example/in', secret: 'whsec_x', threshold: 'info' } as const;

let table: EmptyTable;
let service: NotificationService;
let domain: Domain;

process.env.LOG_LEVEL = 'silent';
beforeEach(async () => {
  table = await useTable({ now: () => start });
  service = await notificationService(table, start);
  domain = await service.register('example.org');
});

/**
 * Stores digest items that have been due for a minute, each of its own organization. The requests bypass the SDK, which
 * takes longer for so many items than the table does.
 */
async function storeDigests(count: number): Promise<void> {
  const due = new Date(start.getTime() - MINUTE).toISOString();
  const items = Array.from({ length: count }, (_, n) => ({
    ...pendingKey(`domain-${n}`, 'mail', `alert-${n}`),
    ...pendingIndexKey('digest', `org-${n}`, due),
    ...{ organization: `org-${n}`, domainId: `domain-${n}`, alert: `alert-${n}` },
    ...{ severity: 'info', channel: 'mail', kind: 'digest' },
  }));
  for (let at = 0; at < count; at += 25) {
    const requests = items.slice(at, at + 25).map((item) => ({ PutRequest: { Item: texts(item) } }));
    const { ok } = await fetch(table.endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'DynamoDB_20120810.BatchWriteItem' },
      body: JSON.stringify({ RequestItems: { [table.name]: requests } }),
    });
    expect(ok).toBe(true);
  }
}

const texts = (item: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(item).map(([name, S]) => [name, { S }]));

describe('an urgent notification', () => {
  test('leaves with the first run, at the same cost, while thousands of digest items are due', async () => {
    await service.settings.setMail(service.organization, mail);
    const costOfRun = async () => {
      await service.raise(domain, 'critical');
      const { table: measured, capacity } = counted(table);
      await service.gatherAlerts(measured);
      const queued = service.waiting.length;
      await service.work();
      return { queued, ...capacity.units() };
    };
    const before = await costOfRun();
    // The pause after the first mail is over.
    service.pass(24 * 60 * MINUTE);
    await storeDigests(5_000);
    expect(await costOfRun()).toEqual(before);
    expect(service.told.mails()).toEqual([['alert 1'], ['alert 2']]);
  });
});

describe('the shards', () => {
  test('get about the same number of organizations', () => {
    const organizations = Array.from({ length: 16_000 }, (_, n) => `organization ${n}`);
    const sizes = Object.values(Object.groupBy(organizations, notificationShardOf)).map(
      (shard) => shard?.length ?? 0,
    );
    expect(sizes).toHaveLength(NOTIFICATION_SHARDS);
    expect(Math.min(...sizes)).toBeGreaterThan(850);
    expect(Math.max(...sizes)).toBeLessThan(1_150);
  });

  test('are all gathered, each by one part of the schedule', async () => {
    const services = [service];
    while (new Set(services.map(({ organization }) => notificationShardOf(organization))).size < 16) {
      services.push(await notificationService(table, start));
    }
    for (const [n, one] of services.entries()) {
      await one.settings.setWebhook(one.organization, webhook);
      await one.settings.setMail(one.organization, mail);
      const theirs = await one.register(`example-${n}.org`);
      await one.raise(theirs, 'info');
    }
    await service.gatherDigests(table);
    service.pass(24 * 60 * MINUTE);
    const { parts, everySeconds } = triggers.gatherNotifications.source;
    expect(triggers.gatherDigests.source).toMatchObject({ parts, everySeconds });
    let queued = 0;
    for (const event of eventsOf({ parts })) {
      await service.gatherAlerts(table, event);
      await service.gatherDigests(table, event);
      const added = service.waiting.length - queued;
      expect(added).toBeGreaterThan(0);
      queued += added;
    }
    // One webhook and one digest for each organization.
    expect(queued).toBe(2 * services.length);
  });

  test('do not stop others when one fails', async () => {
    const other = await notificationService(table, start);
    // The other organization must be in another shard.
    const failing = notificationShards.filter((shard) => shard !== notificationShardOf(other.organization));
    const theirs = await other.register('example.net');
    await other.settings.setWebhook(other.organization, webhook);
    await other.raise(theirs, 'critical');
    const send = async (command: { input: { ExpressionAttributeValues?: Record<string, unknown> } }) => {
      const part = command.input.ExpressionAttributeValues?.[':part'];
      if (failing.some((shard) => part === `PENDING#alerts#${shard}`)) throw new Error('throttled');
      return table.client.send(command as never);
    };
    await expect(service.gatherAlerts(sendingThrough(table, send))).rejects.toThrow(
      'some notifications could not be queued for delivery',
    );
    expect(service.waiting).toHaveLength(1);
  });
});

test('digests have a queue of their own', async () => {
  await service.settings.setMail(service.organization, mail);
  await service.gatherDigests(table);
  service.pass(24 * 60 * MINUTE);
  await service.gatherAlerts(table);
  expect(service.waiting).toEqual([]);
  await service.gatherDigests(table);
  expect(service.waiting).toHaveLength(1);
  const [open] = await deliveryStore(table).open(service.organization);
  expect(open).toMatchObject({ channel: 'mail' });
});

describe('the capacity units of', () => {
  /** Gathers and delivers everything that is due. */
  async function turn(): Promise<{ reads: number; writes: number }> {
    const { table: measured, capacity } = counted(table);
    const event = { part: notificationShardOf(service.organization), parts: NOTIFICATION_SHARDS };
    await service.gatherAlerts(measured, event);
    await service.gatherDigests(measured, event);
    for (const message of service.waiting) expect(await service.receive(message, measured)).toBe(true);
    return capacity.units();
  }

  /** What an alert costs in addition to reading the empty shards. */
  async function unitsOf(severity: AlertSeverity) {
    const idle = await turn();
    await service.raise(domain, severity);
    const { reads, writes } = await turn();
    return { reads: reads - idle.reads, writes };
  }

  test('an urgent notification by mail', async () => {
    await service.settings.setMail(service.organization, { ...mail, digestMinute: null });
    expect(await unitsOf('critical')).toEqual(unitsOfNotification.mail);
  });

  test('an urgent notification by webhook', async () => {
    await service.settings.setWebhook(service.organization, webhook);
    expect(await unitsOf('critical')).toEqual(unitsOfNotification.webhook);
  });

  test('a digest, which grow only by reading its alerts', async () => {
    await service.settings.setMail(service.organization, mail);
    await service.gatherDigests(table);
    const idle = await turn();
    const costs: { reads: number; writes: number }[] = [];
    for (const alerts of [25, 0]) {
      for (let n = 0; n < alerts; n += 1) await service.raise(domain, 'info');
      service.pass(24 * 60 * MINUTE);
      const { reads, writes } = await turn();
      service.waiting.splice(0);
      costs.push({ reads: reads - idle.reads, writes });
    }
    expect(service.mails).toHaveLength(2);
    // The first one makes the key of the link that turns digests off.
    expect(costs).toEqual([{ reads: 10.5, writes: 18 }, unitsOfNotification.digest]);
  });
});
