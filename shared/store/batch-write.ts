/** Unconditional writes of many items. */
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { pauseBefore } from './contention.ts';
import type { Table } from './table.ts';

type BatchWrite = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** The maximum of BatchWriteItem. */
export const MAX_BATCH = 25;

/** DynamoDB takes what it has no capacity for when it is offered again, so the delays grow to about a second. */
const LONGEST_DELAY = 8;

/** Writes up to `MAX_BATCH` items with different keys. DynamoDB returns what it has no capacity for, which is repeated. */
export async function writeBatch(
  { name, client }: Pick<Table, 'name' | 'client'>,
  writes: readonly BatchWrite[],
): Promise<void> {
  let waiting = [...writes];
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    if (attempt > 1) await pauseBefore(Math.min(attempt, LONGEST_DELAY));
    const { UnprocessedItems } = await client.send(
      new BatchWriteCommand({ RequestItems: { [name]: waiting } }),
    );
    waiting = UnprocessedItems?.[name] ?? [];
  }
}
