/** The messages of all queues in one SQLite file: whatever was answered is in it when the process is killed. */
import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { openPrivateDatabase } from '../private-file.ts';

export interface QueueDefinition {
  readonly name: string;
  /** Receives after which a message goes to the dead letters instead. */
  readonly maxReceiveCount: number;
  readonly visibilityTimeoutSeconds: number;
}

export interface Received {
  readonly messageId: string;
  readonly body: string;
  /** Names this receive of the message, to delete it or to change how long it stays hidden. */
  readonly receipt: string;
  readonly receives: number;
  /** Milliseconds since 1970. */
  readonly sent: number;
  readonly firstReceived: number;
}

export interface QueueCounts {
  readonly ready: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export type QueueStore = ReturnType<typeof openQueueStore>;

/** The queue that takes what could not be handled. */
export const deadLettersOf = (queue: string): string => `${queue}-dead-letters`;

export const md5 = (content: string | Uint8Array): Buffer => createHash('md5').update(content).digest();

/** AWS, "Amazon SQS message quotas": 14 days is the longest that a queue keeps a message. */
const RETENTION_MILLISECONDS = 14 * 24 * 3600 * 1000;

/** A message is visible from a moment on; `receipt` is that of its last receive. All times in milliseconds. */
const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    messageId TEXT NOT NULL,
    body TEXT NOT NULL,
    sent INTEGER NOT NULL,
    visible INTEGER NOT NULL,
    receives INTEGER NOT NULL DEFAULT 0,
    firstReceived INTEGER,
    receipt TEXT UNIQUE
  );
  CREATE INDEX IF NOT EXISTS waiting ON messages (queue, visible, id);
`;

/** Opens or creates the file. Messages of queues that are no longer defined stay in it until they are too old. */
export function openQueueStore(path: string, definitions: readonly QueueDefinition[]) {
  const database = openPrivateDatabase(path);
  database.exec(SCHEMA);
  database.prepare('DELETE FROM messages WHERE sent < ?').run(Date.now() - RETENTION_MILLISECONDS);
  // Whoever received a message and did not delete it has ended with the process that had this file open. One that is
  // hidden for longer than a receive hides it was put off, and stays so.
  const release = database.prepare(
    'UPDATE messages SET visible = 0 WHERE queue = ? AND receipt IS NOT NULL AND visible <= ?',
  );
  for (const { name, visibilityTimeoutSeconds } of definitions) {
    release.run(name, Date.now() + visibilityTimeoutSeconds * 1000);
  }
  const insert = database.prepare(
    'INSERT INTO messages (queue, messageId, body, sent, visible) VALUES (?, ?, ?, ?, ?)',
  );
  const first = database.prepare(
    'SELECT * FROM messages WHERE queue = ? AND visible <= ? ORDER BY visible, id LIMIT 1',
  );
  const take = database.prepare(
    'UPDATE messages SET visible = ?, receives = ?, firstReceived = ?, receipt = ? WHERE id = ?',
  );
  const move = database.prepare('UPDATE messages SET queue = ?, visible = ?, receipt = NULL WHERE id = ?');
  const remove = database.prepare('DELETE FROM messages WHERE queue = ? AND receipt = ?');
  const hide = database.prepare(
    'UPDATE messages SET visible = ? WHERE queue = ? AND receipt = ? AND visible > ?',
  );
  const next = database.prepare('SELECT min(visible) AS visible FROM messages WHERE queue = ?');
  const count = database.prepare(`SELECT
      count(*) FILTER (WHERE visible <= $now) AS ready,
      count(*) FILTER (WHERE visible > $now AND receipt IS NOT NULL) AS inFlight,
      count(*) FILTER (WHERE visible > $now AND receipt IS NULL) AS delayed
    FROM messages WHERE queue = $queue`);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');

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

  function* takeEach(queue: QueueDefinition, limit: number, hiddenSeconds: number): Generator<Received> {
    const now = Date.now();
    for (let taken = 0; taken < limit; ) {
      const row = first.get(queue.name, now);
      if (!row) return;
      const receives = Number(row.receives) + 1;
      if (receives > queue.maxReceiveCount) {
        move.run(deadLettersOf(queue.name), now, Number(row.id));
        continue;
      }
      const receipt = randomUUID();
      const firstReceived = Number(row.firstReceived ?? now);
      // With no time to hide it would be found again at once.
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

    /** Returns the message's id. */
    send(queue: string, body: string, delaySeconds: number): string {
      const now = Date.now();
      const messageId = randomUUID();
      insert.run(queue, messageId, body, now, now + delaySeconds * 1000);
      arrivals.emit(queue);
      return messageId;
    },

    /** Takes visible messages, oldest first, and hides them; those received too often go to the dead letters. */
    receive(queue: QueueDefinition, limit: number, hiddenSeconds: number): readonly Received[] {
      begin.run();
      try {
        const received = [...takeEach(queue, limit, hiddenSeconds)];
        commit.run();
        return received;
      } catch (error) {
        rollback.run();
        throw error;
      }
    },

    /** Resolves when there may be something to receive, at the latest at the given time, or when the signal aborts. */
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

    /** Whether the message was hidden, so that it could be hidden for another time. */
    hide(queue: string, receipt: string, seconds: number): boolean {
      const now = Date.now();
      const { changes } = hide.run(now + seconds * 1000, queue, receipt, now);
      arrivals.emit(queue);
      return Number(changes) > 0;
    },

    counts(queue: string): QueueCounts {
      const row = count.get({ $queue: queue, $now: Date.now() });
      return { ready: Number(row?.ready), inFlight: Number(row?.inFlight), delayed: Number(row?.delayed) };
    },

    close(): void {
      database.close();
    },
  };
}
