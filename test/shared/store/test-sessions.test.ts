import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import type { MailTest } from '../../../shared/mail-test/analyse.ts';
import { testSessionKey } from '../../../shared/store/keys.ts';
import { TEST_ID, testSessionStore } from '../../../shared/store/test-sessions.ts';
import { useTable } from '../../kit/use-table.ts';

const NOW = new Date('2026-01-01T10:00:00.500Z');
const END = new Date('2026-01-03T10:00:00.500Z');
const later = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);

const outcome = (edgeId: string, spamScore = 0) => ({
  edgeId,
  receivedAt: NOW.toISOString(),
  test: { spamScore, verdict: 'ham', scoreBreakdown: [] } as unknown as MailTest,
});

const table = await useTable();
const sessions = testSessionStore(table);

describe('a test session', () => {
  test('is opened for 48 hours with an unguessable id', async () => {
    const opened = await Promise.all(Array.from({ length: 50 }, () => sessions.create(NOW)));
    for (const { testId, expiresAt, status } of opened) {
      expect(testId).toMatch(TEST_ID);
      expect(expiresAt).toBe(END.toISOString());
      expect(status).toBe('pending');
    }
    expect(new Set(opened.map(({ testId }) => testId)).size).toBe(50);
    // An id has 26 characters from an alphabet of 32: each position must take many values.
    expect(new Set(opened.map(({ testId }) => testId[0])).size).toBeGreaterThan(10);
  });

  test('is pending until a message arrives, and then has its result', async () => {
    const { testId } = await sessions.create(NOW);
    expect(await sessions.get(testId, later(1000))).toEqual({
      status: 'pending',
      testId,
      expiresAt: END.toISOString(),
    });
    expect(await sessions.complete(testId, outcome('first', -1.3), later(1000))).toBe(true);
    expect(await sessions.get(testId, later(2000))).toEqual({
      status: 'completed',
      testId,
      expiresAt: END.toISOString(),
      otherMessages: 0,
      ...outcome('first', -1.3),
    });
  });

  test('belongs to the first of several concurrent messages', async () => {
    const { testId } = await sessions.create(NOW);
    const first = await Promise.all(
      Array.from({ length: 8 }, (_, n) => sessions.complete(testId, outcome(`message${n}`, n), NOW)),
    );
    expect(first.filter(Boolean)).toHaveLength(1);
    expect(await sessions.get(testId, NOW)).toMatchObject({ edgeId: `message${first.indexOf(true)}` });
  });

  test('counts later messages, but not the first when it is delivered again', async () => {
    const { testId } = await sessions.create(NOW);
    await sessions.countOther(testId, 'early');
    await sessions.complete(testId, outcome('first'), NOW);
    await sessions.countOther(testId, 'first');
    await Promise.all(['second', 'third'].map((edgeId) => sessions.countOther(testId, edgeId)));
    expect(await sessions.get(testId, NOW)).toMatchObject({ otherMessages: 2 });
  });

  test('expires after 48 hours, even while it is still stored', async () => {
    const { testId } = await sessions.create(NOW);
    expect(await sessions.get(testId, new Date(END.getTime() - 1))).toBeDefined();
    expect(await sessions.get(testId, END)).toBeUndefined();
    expect(await sessions.complete(testId, outcome('late'), END)).toBe(false);
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: testSessionKey(testId) }),
    );
    expect(Item).toMatchObject({ status: 'pending', expiresAt: Math.ceil(END.getTime() / 1000) });
  });

  test.each(['', 'a', 'A'.repeat(26), '1'.repeat(26), '../x', 'a'.repeat(26)])(
    'does not exist for the id %p',
    async (testId) => {
      expect(await sessions.get(testId, NOW)).toBeUndefined();
      expect(await sessions.complete(testId, outcome('x'), NOW)).toBe(false);
      await sessions.countOther(testId, 'x');
      expect(await sessions.get(testId, NOW)).toBeUndefined();
    },
  );
});
