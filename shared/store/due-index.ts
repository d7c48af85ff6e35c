/** Partitions of the index in which items are in the order of the time when they are due. */
import type { NotificationKind } from '../alerts/notification.ts';
import type { ItemSchema } from './item-schema.ts';
import type { IndexKey } from './keys.ts';
import type { Query } from './query.ts';
import type { Table } from './table.ts';

/** The items of an index partition that are due by a time, earliest first, at most `limit`. */
export const dueBy = <Value>(
  table: Table,
  time: IndexKey,
  schema: ItemSchema<Value | undefined>,
  limit: number,
) => table.query(partOf(time, '<='), schema, { most: limit });

/** The items of an index partition that are due after a time, the furthest ahead first, at most `limit`. */
export const dueAfter = <Value>(
  table: Table,
  time: IndexKey,
  schema: ItemSchema<Value | undefined>,
  limit: number,
) => table.query({ ...partOf(time, '>'), ScanIndexForward: false }, schema, { most: limit });

const partOf = ({ gsi1pk, gsi1sk }: IndexKey, comparison: '<=' | '>'): Query => ({
  IndexName: 'gsi1',
  KeyConditionExpression: `gsi1pk = :part AND gsi1sk ${comparison} :time`,
  ExpressionAttributeValues: { ':part': gsi1pk, ':time': gsi1sk },
});

interface DueQuery {
  readonly now: Date;
  readonly limit: number;
}

/** What waits for each kind of notification, in shards. @param latestOf The last time that a right clock can have set. */
export const dueInShards = <Value>(
  table: Table,
  keyOf: (kind: NotificationKind, shard: number, at: string) => IndexKey,
  schema: ItemSchema<Value | undefined>,
  latestOf: (kind: NotificationKind, now: Date) => string,
) => ({
  /** What is due of a shard, oldest due time first, at most `limit`. */
  due: (kind: NotificationKind, shard: number, { now, limit }: DueQuery): Promise<Value[]> =>
    dueBy(table, keyOf(kind, shard, now.toISOString()), schema, limit),

  /** What is due later than a right clock can have set at `now`, at most `limit`. */
  tooFarAhead: (kind: NotificationKind, shard: number, { now, limit }: DueQuery): Promise<Value[]> =>
    dueAfter(table, keyOf(kind, shard, latestOf(kind, now)), schema, limit),
});
