/**
 * The first layout had one index partition for all pending notifications, and one for all deliveries. Remove this file
 * when every deployment has run the release with shards for 31 days: a delivery is kept for 30.
 */
import * as z from 'zod/mini';
import { notificationKind } from '../../alerts/notification.ts';
import { dueBy } from '../due-index.ts';
import { deliveryIndexKey, type IndexKey, pendingIndexKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { queueOf } from './delivery.ts';

/** What one run moves of each kind; the next run moves the rest. */
const MOST_MOVED = 5_000;

/** The number of concurrent writes. */
const AT_ONCE = 25;

const unshardedItem = z.object({
  pk: z.string(),
  sk: z.string(),
  gsi1sk: z.string(),
  organization: z.string(),
  kind: z.union([notificationKind, z.literal('test')]),
});

type UnshardedItem = z.infer<typeof unshardedItem>;

const partitions: Readonly<Record<string, (item: UnshardedItem) => IndexKey>> = {
  PENDING: ({ kind, organization, gsi1sk }) => pendingIndexKey(queueOf(kind), organization, gsi1sk),
  DELIVERIES: ({ kind, organization, gsi1sk }) => deliveryIndexKey(queueOf(kind), organization, gsi1sk),
};

/** Moves items of the first layout to their shards, where a later run finds them. Safe to interrupt and to repeat. */
export async function moveToShards(table: Table): Promise<void> {
  for (const [gsi1pk, indexKeyOf] of Object.entries(partitions)) {
    const items = await dueBy(table, { gsi1pk, gsi1sk: '~' }, unshardedItem, MOST_MOVED);
    for (let at = 0; at < items.length; at += AT_ONCE) {
      await Promise.all(
        items.slice(at, at + AT_ONCE).map((item) => {
          const moved = indexKeyOf(item);
          return table.update(
            { pk: item.pk, sk: item.sk },
            {
              UpdateExpression: 'SET gsi1pk = :part, gsi1sk = :at',
              ConditionExpression: 'gsi1pk = :old AND gsi1sk = :time',
              ExpressionAttributeValues: {
                ':part': moved.gsi1pk,
                ':at': moved.gsi1sk,
                ':old': gsi1pk,
                ':time': item.gsi1sk,
              },
            },
          );
        }),
      );
    }
  }
}
