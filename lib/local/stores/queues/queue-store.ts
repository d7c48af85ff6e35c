/**
 * Stores the messages of all queues in one SQLite file. A message is in the file before its sender receives a response,
 * so it survives if the process is killed.
 */

import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { presenceOf } from '../files.ts';
import { openPrivateDatabase } from '../private-file.ts';
import { transactionsOf } from '../transaction.ts';

export interface QueueDefinition {
  readonly name: string;
  /**
   * Receives after which a message moves to the dead-letter queue. `MAX_INTERRUPTIONS` defines which receives count.
   */
  readonly maxReceiveCount: number;
  readonly visibilityTimeoutSeconds: number;
}

/** A message that moved to the dead-letter queue of `queue`. */
export interface DeadLetter {
  readonly queue: string;
  readonly messageId: string;
  readonly receives: number;
  /** Receives that ended with the process, and therefore did not count. */
  readonly interrupted: number;
}

export interface Received {
  readonly messageId: string;
  readonly body: string;
  /** The receipt handle of this receive, to delete the message or change its visibility timeout. */
  readonly receipt: string;
  /** All receives so far, including interrupted ones, as SQS counts them. */
  readonly receives: number;
  /** Milliseconds since 1970. */
  readonly sent: number;
  readonly firstReceived: number;
}

export interface QueueCounts {
  readonly ready: number;
  readonly inFlight: number;
  readonly delayed: number;
  /** How long the first of the ready messages has been waiting, in milliseconds; 0 if there is none. */
  readonly waitMilliseconds: number;
}

export type QueueStore = ReturnType<typeof openQueueStore>;

/** Returns the name of a queue's dead-letter queue. */
export const deadLettersOf = (queue: string): string => `${queue}-dead-letters`;

export const md5 = (content: string | Uint8Array): Buffer => createHash('md5').update(content).digest();

/**
 * A receive that ends with the process does not count, so that a message survives any usual number of restarts. But a
 * message that itself crashes the process must not do so forever: after this many interruptions, every receive counts.
 */
export const MAX_INTERRUPTIONS = 100;

/** AWS, "Amazon SQS message quotas": the longest retention period of a message is 14 days. */
const RETENTION_MILLISECONDS = 14 * 24 * 3600 * 1000;

/** AWS, "Amazon SQS visibility timeout": the longest one is 12 hours. A delay is at most 15 minutes. */
const MAX_HIDDEN_MILLISECONDS = 12 * 3600 * 1000;

/**
 * A message is visible from the time `visible`; `receipt` is the handle of its last receive. `underWay` is 1 from a
 * receive until the receiver deletes the message or changes its visibility timeout. All times are in milliseconds since
 * 1970.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    messageId TEXT NOT NULL,
    body TEXT NOT NULL,
    sent INTEGER NOT NULL,
    visible INTEGER NOT NULL,
    receives INTEGER NOT NULL DEFAULT 0,
    firstReceived INTEGER,
    receipt TEXT UNIQUE,
    interrupted INTEGER NOT NULL DEFAULT 0,
    underWay INTEGER NOT NULL DEFAULT 0,
    messageGroup TEXT NOT NULL DEFAULT ''
  );
  CREATE INDEX IF NOT EXISTS waiting ON messages (queue, visible, id);
  CREATE INDEX IF NOT EXISTS turns ON messages (queue, messageGroup, visible, id);
`;

/**
 * Opens or creates the file; other processes can have it open too. `onDeadLetter` is called for each message that this
 * process moves to a dead-letter queue.
 */
export function openQueueStore(
  path: string,
  definitions: readonly QueueDefinition[],
  onDeadLetter: (message: DeadLetter) => void = () => undefined,
) {
  const database = openPrivateDatabase(path);
  database.exec('PRAGMA journal_mode = WAL');
  const requirePresence = presenceOf(path);
  const transaction = transactionsOf(database, path);
  transaction(() => database.exec(SCHEMA));
  const insert = database.prepare(
    'INSERT INTO messages (queue, messageId, body, sent, visible, messageGroup) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const firstAfter = database.prepare(
    `SELECT * FROM messages WHERE queue = ? AND messageGroup > ? AND visible <= ?
      ORDER BY messageGroup, visible, id LIMIT 1`,
  );
  const firstOf = database.prepare(
    `SELECT * FROM messages WHERE queue = ? AND messageGroup = ? AND visible <= ? ORDER BY visible, id LIMIT 1`,
  );
  /** The group that had the last turn, by queue. */
  const lastGroup = new Map<string, string>();

  /** The oldest message of the next group: groups take turns, as in the fair queues of SQS. */
  function first(queue: string, now: number) {
    const last = lastGroup.get(queue) ?? '';
    const row =
      firstAfter.get(queue, last, now) ?? firstOf.get(queue, '', now) ?? firstAfter.get(queue, '', now);
    if (row !== undefined) lastGroup.set(queue, String(row.messageGroup));
    return row;
  }

  const take = database.prepare(
    'UPDATE messages SET visible = ?, receives = ?, firstReceived = ?, receipt = ?, underWay = 1 WHERE id = ?',
  );
  const moveToDeadLetters = database.prepare(
    'UPDATE messages SET queue = ?, visible = ?, receipt = NULL, underWay = 0 WHERE id = ?',
  );
  const release = database.prepare(
    'UPDATE messages SET visible = ?, underWay = 0, interrupted = min(interrupted + 1, ?) WHERE underWay = 1',
  );
  const setBack = database.prepare('UPDATE messages SET visible = max(?, visible - ?) WHERE visible > ?');
  const expire = database.prepare('DELETE FROM messages WHERE queue = ? AND visible < ?');
  const visibleIn = database.prepare('SELECT id FROM messages WHERE queue = ? AND visible <= ? ORDER BY id');
  const renew = database.prepare(
    `UPDATE messages SET queue = ?, messageId = ?, sent = ?, visible = ?,
      receives = 0, interrupted = 0, firstReceived = NULL, receipt = NULL, underWay = 0 WHERE id = ?`,
  );
  const remove = database.prepare('DELETE FROM messages WHERE queue = ? AND receipt = ?');
  const hide = database.prepare(
    'UPDATE messages SET visible = ?, underWay = 0 WHERE queue = ? AND receipt = ? AND visible > ?',
  );
  const next = database.prepare('SELECT min(visible) AS visible FROM messages WHERE queue = ?');
  const count = database.prepare(`SELECT
      count(*) FILTER (WHERE visible <= $now) AS ready,
      $now - min(visible) FILTER (WHERE visible <= $now) AS wait,
      count(*) FILTER (WHERE visible > $now AND receipt IS NOT NULL) AS inFlight,
      count(*) FILTER (WHERE visible > $now AND receipt IS NULL) AS delayed
    FROM messages WHERE queue = $queue`);

  const queues = new Map(
    definitions.flatMap((queue): [string, QueueDefinition][] => [
      [queue.name, queue],
      [
        deadLettersOf(queue.name),
        { ...queue, name: deadLettersOf(queue.name), maxReceiveCount: Number.POSITIVE_INFINITY },
      ],
    ]),
  );
  /** Emits a queue's name when one of its messages may have become visible. */
  const arrivals = new EventEmitter().setMaxListeners(0);

  function* takeEach(
    queue: QueueDefinition,
    { limit, hiddenSeconds, dead }: { limit: number; hiddenSeconds: number; dead: DeadLetter[] },
  ): Generator<Received> {
    const now = Date.now();
    for (let taken = 0; taken < limit; ) {
      const row = first(queue.name, now);
      if (!row) return;
      const receives = Number(row.receives) + 1;
      const interrupted = Number(row.interrupted);
      if (receives - interrupted > queue.maxReceiveCount) {
        moveToDeadLetters.run(deadLettersOf(queue.name), now, Number(row.id));
        dead.push({
          queue: queue.name,
          messageId: String(row.messageId),
          receives: receives - 1,
          interrupted,
        });
        continue;
      }
      const receipt = randomUUID();
      const firstReceived = Number(row.firstReceived ?? now);
      // At least 1 ms: with a timeout of 0, the same loop would find the message again.
      take.run(now + Math.max(1, hiddenSeconds * 1000), receives, firstReceived, receipt, Number(row.id));
      taken += 1;
      const { messageId, body, sent } = row;
      yield {
        messageId: String(messageId),
        body: String(body),
        receipt,
        receives,
        sent: Number(sent),
        firstReceived,
      };
    }
  }

  return {
    queue: (name: string): QueueDefinition | undefined => queues.get(name),

    /** Returns the queue that has this dead-letter queue, or undefined for any other queue. */
    originOf: (deadLetters: string): string | undefined =>
      definitions.find(({ name }) => deadLettersOf(name) === deadLetters)?.name,

    /** Returns the ID of the message. Groups of messages take turns. */
    send(queue: string, body: string, delaySeconds: number, group = ''): string {
      requirePresence();
      const now = Date.now();
      const messageId = randomUUID();
      insert.run(queue, messageId, body, now, now + delaySeconds * 1000, group);
      arrivals.emit(queue);
      return messageId;
    },

    /**
     * Receives visible messages, the oldest of each group first, and hides them. Messages received too often move to the dead-letter
     * queue.
     */
    receive(queue: QueueDefinition, limit: number, hiddenSeconds: number): readonly Received[] {
      const dead: DeadLetter[] = [];
      const received = transaction(() => [...takeEach(queue, { limit, hiddenSeconds, dead })]);
      for (const message of dead) onDeadLetter(message);
      return received;
    },

    /**
     * Prepares the queues for the process that handles messages; call it before the first receive, and after a time without
     * writes. Messages that are being handled belong to a process that has ended, or could not store anything. They become
     * visible again, after messages that have waited longer, so that a message that crashes the process does not block
     * others. Their last receive does not count. The same applies to a message whose handler failed and whose visibility
     * timeout has not expired yet. Messages whose visibility timeout a receiver changed stay hidden, but none longer than SQS
     * allows: the clock was wrong. Dead letters are deleted 14 days after they were moved or last received.
     */
    recover(): void {
      const now = Date.now();
      setBack.run(now, Number.MAX_SAFE_INTEGER, now + MAX_HIDDEN_MILLISECONDS);
      for (const { name } of definitions) expire.run(deadLettersOf(name), now - RETENTION_MILLISECONDS);
      release.run(now, MAX_INTERRUPTIONS);
      for (const { name } of definitions) arrivals.emit(name);
    },

    /**
     * Takes back what a clock that was ahead did: messages become visible when they would have if it had been right, at the
     * earliest now.
     */
    clockSetBack(milliseconds: number): void {
      const now = Date.now();
      setBack.run(now, Math.round(milliseconds), now);
      for (const { name } of definitions) arrivals.emit(name);
    },

    /** Moves the visible messages of one queue to another as new messages, with new IDs. Returns their number. */
    move(source: string, destination: string): number {
      const now = Date.now();
      const moved = transaction(() => {
        const rows = visibleIn.all(source, now);
        for (const { id } of rows) renew.run(destination, randomUUID(), now, now, Number(id));
        return rows.length;
      });
      arrivals.emit(destination);
      return moved;
    },

    /** Resolves when a message may have become visible, at time `until` at the latest, or when the signal aborts. */
    async arrival(queue: string, until: number, signal: AbortSignal): Promise<void> {
      const visible = Number(next.get(queue)?.visible ?? until);
      const milliseconds = Math.max(1, Math.min(visible, until) - Date.now());
      await once(arrivals, queue, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]),
      }).catch(() => undefined);
    },

    delete(queue: string, receipt: string): void {
      remove.run(queue, receipt);
    },

    /** Changes the visibility timeout. Returns false if the message is not in flight. */
    hide(queue: string, receipt: string, seconds: number): boolean {
      const now = Date.now();
      const { changes } = hide.run(now + seconds * 1000, queue, receipt, now);
      arrivals.emit(queue);
      return Number(changes) > 0;
    },

    counts(queue: string): QueueCounts {
      const row = count.get({ $queue: queue, $now: Date.now() });
      return {
        ready: Number(row?.ready),
        inFlight: Number(row?.inFlight),
        delayed: Number(row?.delayed),
        waitMilliseconds: Number(row?.wait ?? 0),
      };
    },

    close(): void {
      database.close();
    },
  };
}
