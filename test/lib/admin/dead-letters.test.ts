import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AdminDependencies } from '../../../lib/admin/command.ts';
import { type Queues, startQueues } from '../../../lib/local/stores/queues/endpoint.ts';
import {
  deadLettersOf,
  openQueueStore,
  type QueueStore,
} from '../../../lib/local/stores/queues/queue-store.ts';
import { CommandError } from '../../../lib/terminal/command-line.ts';
import { queues as queueTable } from '../../../shared/runtime/workers/trigger.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { adminCommand } from '../../kit/admin.ts';
import { anyone } from '../../kit/aws-client.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { useFolder } from '../../kit/use.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const sessionToken = 'token';
const folder = useFolder('dead-letters');
const definitions = Object.keys(queueTable).map((name) => ({
  ...{ name, maxReceiveCount: 5, visibilityTimeoutSeconds: 60 },
}));

let store: QueueStore;
let queues: Queues;
let client: SQSClient;
let deps: AdminDependencies;

const table = await useTable();
const domain = await registeredDomain(table);
// The test has the queue file open at the same time as the endpoint, as the service does.
beforeEach(async () => {
  const path = join(folder, randomUUID());
  store = openQueueStore(path, definitions);
  queues = await startQueues(path, definitions, sessionToken);
  client = new SQSClient({ ...anyone(queues.endpoint, { sessionToken }), maxAttempts: 3 });
  deps = {
    domains: domainStore(table),
    deliveries: deliveryStore(table),
    progress: { show: () => undefined, end: () => undefined },
    queues: async () => ({
      client,
      urlsOf: (name: string) => ({
        queue: queues.queueUrl(name),
        deadLetters: queues.queueUrl(deadLettersOf(name)),
      }),
    }),
  } as unknown as AdminDependencies;
});
afterEach(async () => {
  client.destroy();
  await queues.stop();
  store.close();
});

const admin = (command: string) => adminCommand(command.split(' '))(deps);
/** Sends a message and receives it until it becomes a dead letter. Returns its ID. */
function bury(queue: string, body: string): string {
  const id = store.send(queue, body, 0);
  const definition = store.queue(queue);
  if (definition === undefined) throw new Error(`no queue ${queue}`);
  for (;;) {
    const [message] = store.receive(definition, 1, 60);
    if (message === undefined) return id;
    store.hide(queue, message.receipt, 0);
  }
}
/** The visible messages of a queue, with their receive counts. */
function visible(queue: string): [string, number][] {
  const definition = store.queue(queue);
  if (definition === undefined) throw new Error(`no queue ${queue}`);
  return store.receive(definition, 10, 60).map(({ body, receives }) => [body, receives - 1]);
}
const mail = (rawKey: string, ...recipients: string[]) =>
  JSON.stringify({ messageId: 'm1', receivedAt: now, recipients, rawKey, verdicts: null });

describe('npm run admin -- dead-letters list', () => {
  test('shows each message with its content and its receive count', async () => {
    const address = `${domain.mailbox}@reports.localhost`;
    const ids = [
      bury('reports', mail('reports/abc', address, 'gone@reports.localhost')),
      bury('tester', mail('tester/def', 'x@tester.localhost')),
      ...[domain.id, 'gone'].map((id) =>
        bury('checks', JSON.stringify({ organization: domain.organization, id, dueAt: now })),
      ),
      bury('deletions', JSON.stringify({ domainId: 'd1' })),
      bury('deletions', 'no \u001b JSON'),
    ];
    const lines = await admin('dead-letters list');
    const received = lines.filter((line) =>
      /first received \d{4}-\d\d-\d\dT[\d:.]+Z, received 6 times$/.test(line),
    );
    expect(received.map((line) => line.trim().split(' ')[0]).toSorted()).toEqual(ids.toSorted());
    expect(lines.filter((line) => !received.includes(line))).toEqual([
      'deletions: 2 dead letters',
      '    the deletion of domain d1',
      '    not a message of this service: no \u001b JSON',
      'checks: 2 dead letters',
      `    a check of ${domain.domain}`,
      '    a check of domain gone, which was removed',
      'arrivals: none',
      'reports: 1 dead letter',
      `    mail reports/abc to ${address} (${domain.domain}), gone@reports.localhost`,
      'tester: 1 dead letter',
      '    mail tester/def to x@tester.localhost',
      'notifications: none',
      'digests: none',
      'summaries: none',
      'mailboxes: none',
      expect.stringContaining('counts as a receive'),
      expect.stringContaining('"work failed"'),
    ]);
  });

  test('shows the recipient of a delivery, and why the last attempt failed', async () => {
    const deliveries = deliveryStore(table);
    const createdAt = now.toISOString();
    await deliveries.createTest({ id: 'dead', organization: 'org', channel: 'webhook', createdAt });
    const claimed = await deliveries.claim('dead', { now, leaseSeconds: 45, sentAt: now });
    if (claimed.status !== 'claimed') throw new Error(claimed.status);
    await deliveries.giveUp(claimed.lease, { reason: 'the webhook answered 500' }, now);
    for (const delivery of ['dead', 'gone']) bury('notifications', JSON.stringify({ delivery }));
    const lines = await admin('dead-letters list notifications');
    expect(lines).toContain('    delivery dead by webhook to org: the webhook answered 500');
    expect(lines).toContain('    delivery gone, which is not kept any more');
    expect(lines).toContain('notifications: 2 dead letters');
  });

  test('returns the messages to the queue, and lists at most twenty per queue', async () => {
    for (let n = 0; n < 25; n += 1)
      store.send(deadLettersOf('deletions'), JSON.stringify({ domainId: `d${n}` }), 0);
    const lines = await admin('dead-letters list deletions');
    expect(lines[0]).toBe('deletions: 25 dead letters, 20 of them listed');
    expect(lines.filter((line) => line.includes('the deletion of'))).toHaveLength(20);
    expect(store.counts(deadLettersOf('deletions'))).toMatchObject({ ready: 25, inFlight: 0, delayed: 0 });
  });
});

describe('npm run admin -- dead-letters redrive', () => {
  test('sends one message back with a receive count of zero, and leaves the others unchanged', async () => {
    for (let n = 0; n < 15; n += 1) store.send(deadLettersOf('reports'), `other ${n}`, 0);
    const id = bury('reports', 'wanted');
    expect(await admin(`dead-letters redrive reports --message ${id}`)).toEqual([
      'reports: 1 message sent back to the queue',
    ]);
    expect(visible('reports')).toEqual([['wanted', 0]]);
    expect(store.counts(deadLettersOf('reports'))).toMatchObject({ ready: 15, inFlight: 0, delayed: 0 });
  });

  test('receives no more messages than it needs to find one', async () => {
    const id = store.send(deadLettersOf('reports'), 'wanted', 0);
    for (let n = 0; n < 12; n += 1) store.send(deadLettersOf('reports'), `other ${n}`, 0);
    await admin(`dead-letters redrive reports --message ${id}`);
    const receives = visible(deadLettersOf('reports')).map(([, count]) => count);
    expect(receives).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
  });

  test('sends all messages of one queue back with a receive count of zero', async () => {
    for (const body of ['a', 'b', 'c']) bury('checks', body);
    bury('reports', 'other');
    expect(await admin('dead-letters redrive checks --all')).toEqual([
      'checks: 3 messages sent back to the queue',
    ]);
    expect(visible('checks')).toEqual(['a', 'b', 'c'].map((body) => [body, 0]));
    expect([visible(deadLettersOf('checks')), visible(deadLettersOf('reports')).length]).toEqual([[], 1]);
    expect(await admin('dead-letters redrive checks --all')).toEqual([
      'checks: 0 messages sent back to the queue',
    ]);
  });

  test('keeps a dead letter that cannot be sent', async () => {
    const id = bury('reports', 'wanted');
    const reached = await deps.queues();
    const urlsOf = () => ({ ...reached.urlsOf('reports'), queue: queues.queueUrl('nowhere') });
    deps = { ...deps, queues: async () => ({ ...reached, urlsOf }) };
    await expect(admin(`dead-letters redrive reports --message ${id}`)).rejects.toThrow('does not exist');
    expect(visible(deadLettersOf('reports'))).toMatchObject([['wanted', expect.any(Number)]]);
  });

  test.each([
    ['dead-letters redrive reports', '--message <id> or --all'],
    ['dead-letters redrive reports --all --message x', '--message <id> or --all'],
    ['dead-letters redrive everything --all', 'no such queue: everything; there are deletions, checks'],
    ['dead-letters redrive reports --message nothing', 'no dead letter nothing'],
    ['dead-letters list everything', 'no such queue'],
  ])('rejects %s', async (command, reason) => {
    const refused = (async () => admin(command))();
    await expect(refused).rejects.toThrow(CommandError);
    await expect(refused).rejects.toThrow(reason);
  });
});
