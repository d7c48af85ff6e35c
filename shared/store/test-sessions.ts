/** Sessions of the inbound mail tester: one-time addresses that expire with their results after two days. */

import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import type { MailTest } from '../mail-test/analyse.ts';
import { allOf, changing, having } from './changes.ts';
import { counter, pack, packed } from './item-schema.ts';
import { testSessionKey } from './keys.ts';
import type { Table } from './table.ts';

/** ISO 8601, UTC. After this time the session does not exist. `expiresAt` is the table's TTL attribute in seconds. */
const until = z.string();

const pendingItem = z.object({ status: z.literal('pending'), until });

const completedItem = z.object({
  status: z.literal('completed'),
  until,
  /** The message id that SES or the local SMTP listener assigned. */
  edgeId: z.string(),
  /** ISO 8601, UTC. */
  receivedAt: z.string(),
  /** Passes through unparsed. */
  test: packed(z.custom<MailTest>()),
  /** The number of messages after the first; they are not stored. */
  otherMessages: counter,
});

const sessionItem = z.discriminatedUnion('status', [pendingItem, completedItem]);

/** What an item stores about a session, with its id and its end (ISO 8601, UTC). */
type SessionOf<Item> = Readonly<Omit<Item, 'until'>> & {
  readonly testId: string;
  readonly expiresAt: string;
};

export type PendingSession = SessionOf<z.infer<typeof pendingItem>>;

export type CompletedSession = SessionOf<z.infer<typeof completedItem>>;

export type TestSession = PendingSession | CompletedSession;

export type TestSessionStore = ReturnType<typeof testSessionStore>;

const LIFETIME_MILLISECONDS = 48 * 60 * 60 * 1000;

/**
 * RFC 4648 section 6 in lower case, because local parts can lose their case in transit; 26 characters hold 130 bits.
 */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LENGTH = 26;

/** The format of a test id. */
export const TEST_ID = new RegExp(`^[a-z2-7]{${ID_LENGTH}}$`);

export function testSessionStore(table: Table) {
  return {
    /** Opens a session with an unguessable id. */
    async create(now: Date): Promise<PendingSession> {
      const testId = newTestId();
      const end = now.getTime() + LIFETIME_MILLISECONDS;
      const until = new Date(end).toISOString();
      const expiresAt = Math.ceil(end / 1000);
      await table.create({ ...testSessionKey(testId), status: 'pending', until, expiresAt });
      return { status: 'pending', testId, expiresAt: until };
    },

    /** The session; undefined if it does not exist or expired. */
    async get(testId: string, now: Date): Promise<TestSession | undefined> {
      if (!TEST_ID.test(testId)) return undefined;
      const item = await table.get(testSessionKey(testId), sessionItem);
      if (item === undefined || item.until <= now.toISOString()) return undefined;
      const { until: expiresAt, ...session } = item;
      return { testId, expiresAt, ...session };
    },

    /** Stores the result of the first message. Returns false if another message was first or the session is gone. */
    async complete(
      testId: string,
      { edgeId, receivedAt, test }: Pick<CompletedSession, 'edgeId' | 'receivedAt' | 'test'>,
      now: Date,
    ): Promise<boolean> {
      const isWaiting = allOf(having({ status: 'pending' }), {
        ConditionExpression: '#until > :now',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: { ':now': now.toISOString() },
      });
      const change = changing({ status: 'completed', edgeId, receivedAt, test: pack(test) }, isWaiting);
      return table.update(testSessionKey(testId), change);
    },

    /** Counts a message after the first. The first message does not count when it is announced again. */
    async countOther(testId: string, edgeId: string): Promise<void> {
      const isOther = {
        ConditionExpression: 'edgeId <> :edge',
        ExpressionAttributeValues: { ':edge': edgeId },
      };
      const condition = allOf(having({ status: 'completed' }), isOther);
      await table.update(testSessionKey(testId), changing({}, condition, { otherMessages: 1 }));
    },
  };
}

function newTestId(): string {
  return Array.from(randomBytes(ID_LENGTH), (octet) => ALPHABET[octet % ALPHABET.length]).join('');
}
