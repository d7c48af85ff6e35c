/**
 * The rows of a large report, in items of their own. A transaction cannot hold them, so they are written before their
 * report is committed, and a worker may crash at any point:
 * - A chunk's key contains a hash of its sequence of rows. Concurrent workers and retries therefore write the same
 *   bytes to the same keys, and a conflicting report never overwrites the rows of a stored one.
 * - Chunks expire after WAITING_DAYS unless their report is committed, so the chunks of a worker that died disappear.
 *   That is longer than a message stays in its queue and the dead-letter queue.
 * - After the commit, each chunk is settled: it gets the expiry of its report, or none. The report's item is marked
 *   `unsettled` until then, so the next delivery of the message finishes the work of a worker that died.
 * - A settled chunk is never rewritten or removed, so a late worker does no harm.
 * - Before a report is removed or gets other rows, its chunks are unsettled: they expire again, unless the report stays
 *   as it is and is settled once more.
 */

import * as z from 'zod/mini';
import { octets } from '../item-schema.ts';
import { type Condition, PRESENT } from '../items.ts';
import { type ReportKind, reportRowsKey } from '../keys.ts';
import type { Table } from '../table.ts';

/** One sequence of rows of one report. */
export interface ChunkedRows {
  readonly kind: ReportKind;
  readonly domainId: string;
  readonly id: string;
  readonly rowsHash: string;
}

const chunkItem = z.object({ body: octets });

const WAITING_DAYS = 60;
const DAY_SECONDS = 86_400;
/** The number of chunks, each up to 300 KB, that are written or read concurrently. */
const PARALLEL = 4;

const UNSETTLED: Condition = { ConditionExpression: 'attribute_not_exists(settled)' };

export function reportChunks(table: Table) {
  const key = ({ kind, domainId, id, rowsHash }: ChunkedRows, n: number) =>
    reportRowsKey(kind, domainId, { id, rowsHash, n });

  return {
    /** Writes chunks that expire unless they are settled. Leaves settled chunks unchanged. */
    async write(of: ChunkedRows, chunks: readonly Uint8Array[], now: Date): Promise<void> {
      const expiresAt = waitingUntil(now);
      await each(chunks.length, (n) => table.put({ ...key(of, n), body: chunks[n], expiresAt }, UNSETTLED));
    },

    /** Gives chunks the expiry of their committed report; undefined means no expiry. */
    async settle(of: ChunkedRows, count: number, expiresAt: number | undefined): Promise<void> {
      const change =
        expiresAt === undefined
          ? {
              UpdateExpression: 'SET settled = :true REMOVE expiresAt',
              ExpressionAttributeValues: { ':true': true },
            }
          : {
              UpdateExpression: 'SET settled = :true, expiresAt = :expiresAt',
              ExpressionAttributeValues: { ':true': true, ':expiresAt': expiresAt },
            };
      // If the domain is deleted meanwhile, its chunks must not reappear.
      await each(count, (n) => table.update(key(of, n), { ...change, ...PRESENT }));
    },

    /** Makes settled chunks expire again. */
    async unsettle(of: ChunkedRows, count: number, now: Date): Promise<void> {
      await each(count, (n) =>
        table.update(key(of, n), {
          UpdateExpression: 'SET expiresAt = :expiresAt REMOVE settled',
          ...PRESENT,
          ExpressionAttributeValues: { ':expiresAt': waitingUntil(now) },
        }),
      );
    },

    /** Removes chunks that are not settled. */
    async remove(of: ChunkedRows, count: number): Promise<void> {
      await each(count, (n) => table.delete(key(of, n), UNSETTLED));
    },

    /** Reads all chunks in order. Throws `RowsMissing` if the rows were replaced, or the domain is being deleted. */
    async read(of: ChunkedRows, count: number): Promise<Uint8Array[]> {
      const bodies: Uint8Array[] = [];
      await each(count, async (n) => {
        const item = await table.get(key(of, n), chunkItem);
        if (item === undefined) throw new RowsMissing(`chunk ${n} of the rows of report ${of.id} is missing`);
        bodies[n] = item.body;
      });
      return bodies;
    },
  };
}

/** The rows of a report are gone: since it was read, it was replaced or removed. */
export class RowsMissing extends Error {}

const waitingUntil = (now: Date): number => Math.floor(now.getTime() / 1000) + WAITING_DAYS * DAY_SECONDS;

async function each(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < count; first += PARALLEL) {
    const together = Math.min(PARALLEL, count - first);
    await Promise.all(Array.from({ length: together }, (_, at) => work(first + at)));
  }
}
