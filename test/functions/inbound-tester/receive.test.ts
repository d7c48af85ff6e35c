import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import { handler } from '../../../functions/inbound-tester/receive.ts';
import type { RawMessages } from '../../../shared/store/raw-messages.ts';
import { type TestSessionStore, testSessionStore } from '../../../shared/store/test-sessions.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';
import { zone } from '../../kit/zone.ts';

const NOW = new Date('2026-01-01T10:00:00Z');
const AFTER_EXPIRY = new Date('2026-01-03T10:00:01Z');

const message = Buffer.from('From: a@example.org\r\n\r\nHello');

let table: EmptyTable;
let sessions: TestSessionStore;
let now: Date;
let kept: Set<string>;
let read: string[];

beforeAll(async () => {
  table = await emptyTable();
  sessions = testSessionStore(table);
});
beforeEach(() => {
  now = NOW;
  kept = new Set();
  read = [];
});
afterAll(() => table.stop());

const raw: RawMessages = {
  async read(key) {
    read.push(key);
    if (key.endsWith('broken')) throw new Error('S3 is down');
    return kept.has(key) ? message : undefined;
  },
  async remove(key) {
    kept.delete(key);
  },
};

/** The ids of the records that failed, after a message for `recipients` was stored and announced. */
async function receive(recipients: readonly string[], messageId: string): Promise<string[]> {
  const objectKey = `tester/${messageId}`;
  kept.add(objectKey);
  const body = JSON.stringify({
    receipt: { recipients, action: { type: 'S3', bucketName: 'mail', objectKey } },
    mail: { timestamp: NOW.toISOString(), messageId, source: 'a@example.org' },
  });
  const receiving = handler.with({
    sessions,
    raw,
    network: { dns: zone({}), blocklists: new Map() },
    testerDomain: 'tester.example',
    clock: { now: () => now },
  });
  const { batchItemFailures } = await receiving(
    { Records: [{ messageId: 'record', body }] } as unknown as SQSEvent,
    { getRemainingTimeInMillis: () => 10_000 } as Context,
  );
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const open = async () => (await sessions.create(NOW)).testId;
const at = (testId: string) => `${testId}@tester.example`;

describe('A test message', () => {
  test('completes its session, and is not kept', async () => {
    const testId = await open();
    expect(await receive([at(testId)], 'first')).toEqual([]);
    expect(await sessions.get(testId, NOW)).toMatchObject({ status: 'completed', edgeId: 'first' });
    expect([...kept]).toEqual([]);
  });

  test('completes every session that it was sent to, whatever the case of the address', async () => {
    const both = [await open(), await open()];
    await receive([...both.map((testId) => at(testId).toUpperCase()), 'someone@elsewhere.example'], 'both');
    for (const testId of both) expect(await sessions.get(testId, NOW)).toMatchObject({ edgeId: 'both' });
    expect(read).toEqual(['tester/both']);
  });

  test('that comes second is counted, neither read nor kept', async () => {
    const testId = await open();
    await receive([at(testId)], 'first');
    await receive([at(testId)], 'second');
    await receive([at(testId)], 'first');
    expect(await sessions.get(testId, NOW)).toMatchObject({ edgeId: 'first', otherMessages: 1 });
    expect(read).toEqual(['tester/first']);
    expect([...kept]).toEqual([]);
  });

  test.each([
    ['an unknown session', async () => 'a'.repeat(26)],
    [
      'an expired session',
      async () => {
        now = AFTER_EXPIRY;
        return open();
      },
    ],
  ])('for %s is removed unread', async (_what, make) => {
    const testId = await make();
    expect(await receive([at(testId)], 'late')).toEqual([]);
    expect(read).toEqual([]);
    expect([...kept]).toEqual([]);
    expect(await sessions.get(testId, now)).toBeUndefined();
  });

  test('that cannot be read now is kept, and tried again', async () => {
    const testId = await open();
    expect(await receive([at(testId)], 'broken')).toEqual(['record']);
    expect([...kept]).toEqual(['tester/broken']);
    expect(await sessions.get(testId, NOW)).toMatchObject({ status: 'pending' });
  });
});
