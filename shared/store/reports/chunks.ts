/**
 * The rows of a large report, in items of their own. A transaction cannot hold them, so they are written before their
 * report is committed, and a worker may crash at any point:
 * - A chunk's key contains a hash of its sequence of rows. Concurrent workers and retries therefore write the same
 *   bytes to the same keys, and a conflicting report never overwrites the rows of a stored one.
 * - Chunks expire after WAITING_DAYS unless their report is committed, so the chunks of a worker that died disappear.
 *   That is longer than a message stays in its queue and the dead-letter queue.
 * - After the commit, each chunk is final: it gets the expiry of its report, or none. The report's item is marked
 *   `chunksPending` until then, so the next delivery of the message finishes the work of a worker that died.
 * - A final chunk is never rewritten or removed, so a late worker does no harm.
 * - Before a report is removed or gets other rows, its chunks are pending again: they expire, unless the report stays
 *   as it is and becomes final once more.
 */

import * as z from 'zod/mini';
import { changing } from '../changes.ts';
import { octets } from '../item-schema.ts';
import { type Condition, PRESENT } from '../items.ts';
import { type ReportKind, reportRowsKey } from '../keys.ts';
import type { Table } from '../table.ts';

/** A sequence of rows of a report: its hash, the number of its chunks, and until when the report is kept. */
export interface ChunkedRows {
  readonly id: string;
  readonly rowContent: string;
  readonly rowChunks: number;
  readonly expiresAt?: number | undefined;
}

const chunkItem = z.object({ body: octets });

const WAITING_DAYS = 60;
const DAY_SECONDS = 86_400;
/** The number of chunks, each up to 300 KB, that are written or read concurrently. */
const PARALLEL = 4;

const PENDING: Condition = { ConditionExpression: 'attribute_not_exists(isFinal)' };

export function reportChunks(table: Table, kind: ReportKind, domainId: string) {
  const key = ({ id, rowContent }: ChunkedRows, n: number) =>
    reportRowsKey(kind, domainId, { id, rowsHash: rowContent, n });
  /** If the domain is deleted meanwhile, its chunks must not reappear. */
  const change = (of: ChunkedRows, set: Readonly<Record<string, unknown>>) =>
    each(of.rowChunks, (n) => table.update(key(of, n), changing(set, PRESENT)));

  return {
    /** Writes chunks that expire unless they become final. Leaves final chunks unchanged. */
    async write(of: ChunkedRows, chunks: readonly Uint8Array[], now: Date): Promise<void> {
      const expiresAt = waitingUntil(now);
      await each(chunks.length, (n) => table.put({ ...key(of, n), body: chunks[n], expiresAt }, PENDING));
    },

    /** Gives chunks the expiry of their committed report, or none. */
    finalize: (of: ChunkedRows): Promise<void> => change(of, { isFinal: true, expiresAt: of.expiresAt }),

    /** Makes final chunks expire again. */
    makePending: (of: ChunkedRows, now: Date): Promise<void> =>
      change(of, { expiresAt: waitingUntil(now), isFinal: undefined }),

    /** Removes chunks that are not final. */
    remove: (of: ChunkedRows): Promise<void> => each(of.rowChunks, (n) => table.delete(key(of, n), PENDING)),

    /** Reads all chunks in order. Throws if the rows were replaced or removed, or the domain is being deleted. */
    async read(of: ChunkedRows): Promise<Uint8Array[]> {
      const bodies: Uint8Array[] = [];
      await each(of.rowChunks, async (n) => {
        const item = await table.get(key(of, n), chunkItem);
        if (item === undefined) throw new Error(`chunk ${n} of the rows of report ${of.id} is missing`);
        bodies[n] = item.body;
      });
      return bodies;
    },
  };
}

const waitingUntil = (now: Date): number => Math.floor(now.getTime() / 1000) + WAITING_DAYS * DAY_SECONDS;

async function each(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < count; first += PARALLEL) {
    const together = Math.min(PARALLEL, count - first);
    await Promise.all(Array.from({ length: together }, (_, at) => work(first + at)));
  }
}
