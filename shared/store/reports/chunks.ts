/**
 * The rows of a large report, in items of their own. They are more than a transaction holds, so they are written
 * before their report is committed, and the crash of a worker may come at any time:
 * - A chunk's key names the sequence of rows that it is part of, so that concurrent workers and later attempts write
 *   the same octets to the same keys, and a report that contradicts a stored one never touches its rows.
 * - Chunks expire after WAITING_DAYS unless their report is committed: what a worker leaves that died and whose message
 *   is never handled again goes by itself. That is longer than a message stays in its queue and in the dead-letter
 *   queue after it.
 * - After the commit each chunk is settled: it gets the expiry of its report, or none. The report's item says
 *   `unsettled` until that is done, so that the next delivery of a message whose worker died in between does it.
 * - A settled chunk is never written again nor removed, so that a worker that comes late can do it no harm.
 * - Before a report is removed or given other rows, its chunks are loosened: they wait again, and expire unless the
 *   report stays as it is and is settled once more.
 */
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type ReportKind, reportRowsKey } from '../keys.ts';
import { conditionFailed, type Table } from '../table.ts';

/** One sequence of rows of one report. */
export interface ChunkedRows {
  readonly kind: ReportKind;
  readonly domainId: string;
  readonly id: string;
  readonly content: string;
}

const WAITING_DAYS = 60;
const DAY_SECONDS = 86_400;
/** Chunks that are written or read at the same time, each of up to 300 KB. */
const PARALLEL = 4;

export function reportChunks(table: Table) {
  const key = ({ kind, domainId, id, content }: ChunkedRows, n: number) =>
    reportRowsKey(kind, domainId, { id, content, n });

  return {
    /** Writes chunks that expire unless they are settled; those that are settled already stay as they are. */
    async write(of: ChunkedRows, chunks: readonly Uint8Array[], now: Date): Promise<void> {
      const expiresAt = waitingUntil(now);
      await each(chunks.length, (n) =>
        unlessConditionFails(async () => {
          const Item = { ...key(of, n), body: chunks[n], expiresAt };
          const ConditionExpression = 'attribute_not_exists(settled)';
          await table.client.send(new PutCommand({ TableName: table.name, Item, ConditionExpression }));
        }),
      );
    },

    /** Gives chunks the expiry of their committed report, undefined where it is kept for good. */
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
      await each(count, (n) =>
        unlessConditionFails(async () => {
          await table.client.send(
            new UpdateCommand({
              TableName: table.name,
              Key: key(of, n),
              ...change,
              // The domain may be deleted meanwhile, and a chunk of it must not come back.
              ConditionExpression: 'attribute_exists(pk)',
            }),
          );
        }),
      );
    },

    /** Makes settled chunks wait again. */
    async loosen(of: ChunkedRows, count: number, now: Date): Promise<void> {
      await each(count, (n) =>
        unlessConditionFails(async () => {
          await table.client.send(
            new UpdateCommand({
              TableName: table.name,
              Key: key(of, n),
              UpdateExpression: 'SET expiresAt = :expiresAt REMOVE settled',
              ConditionExpression: 'attribute_exists(pk)',
              ExpressionAttributeValues: { ':expiresAt': waitingUntil(now) },
            }),
          );
        }),
      );
    },

    /** Removes chunks that are not settled. */
    async remove(of: ChunkedRows, count: number): Promise<void> {
      await each(count, (n) =>
        unlessConditionFails(async () => {
          const Key = key(of, n);
          const ConditionExpression = 'attribute_not_exists(settled)';
          await table.client.send(new DeleteCommand({ TableName: table.name, Key, ConditionExpression }));
        }),
      );
    },

    /** All chunks in their order. Throws where one is missing, as it can be while the domain is being deleted. */
    async read(of: ChunkedRows, count: number): Promise<Uint8Array[]> {
      const bodies: Uint8Array[] = [];
      await each(count, async (n) => {
        const { Item } = await table.client.send(
          new GetCommand({ TableName: table.name, Key: key(of, n), ConsistentRead: true }),
        );
        if (Item === undefined) throw new Error(`chunk ${n} of the rows of report ${of.id} is missing`);
        bodies[n] = Item.body;
      });
      return bodies;
    },
  };
}

const waitingUntil = (now: Date): number => Math.floor(now.getTime() / 1000) + WAITING_DAYS * DAY_SECONDS;

async function each(count: number, work: (n: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < count; first += PARALLEL) {
    const together = Math.min(PARALLEL, count - first);
    await Promise.all(Array.from({ length: together }, (_, at) => work(first + at)));
  }
}

async function unlessConditionFails(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!conditionFailed(error)) throw error;
  }
}
