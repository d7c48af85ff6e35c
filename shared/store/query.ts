/** Queries of the table that are read on until they have what is wanted. */
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from './table.ts';

export type Query = Omit<QueryCommandInput, 'TableName' | 'Limit' | 'ExclusiveStartKey'>;

export type Item = Record<string, unknown>;

export interface Wanted {
  /** How many items are enough; all of them unless told. Nothing is read beyond the last of these. */
  readonly most?: number;
  /** Items for which this is false do not count. */
  readonly isWanted?: (item: Item) => boolean;
}

/** The items that a query finds, in its order. */
export async function found(
  table: Table,
  query: Query,
  { most = Number.POSITIVE_INFINITY, isWanted = () => true }: Wanted = {},
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const some of answers(table, query, () => most - items.length)) {
    items.push(...some.filter(isWanted));
    if (items.length >= most) break;
  }
  return items;
}

/** The same one after the other, for what may be too much to hold. */
export async function* eachFound(table: Table, query: Query): AsyncGenerator<Item> {
  for await (const some of answers(table, query, () => Number.POSITIVE_INFINITY)) yield* some;
}

/** A page of what a query finds, the first being 1; reads what lies before it and the page, and one item more. */
export async function foundOnPage(
  table: Table,
  query: Query,
  { page, limit, isWanted }: { page: number; limit: number } & Pick<Wanted, 'isWanted'>,
): Promise<{ items: Item[]; hasMore: boolean }> {
  const end = page * limit;
  const items = await found(table, query, { most: end + 1, ...(isWanted && { isWanted }) });
  return { items: items.slice(end - limit, end), hasMore: items.length > end };
}

/** DynamoDB gives a megabyte at a time, and of an index with a filter perhaps nothing. */
async function* answers(table: Table, query: Query, limit: () => number): AsyncGenerator<Item[]> {
  let start: Item | undefined;
  do {
    const most = limit();
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        ...query,
        ...(Number.isFinite(most) && { Limit: most }),
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    yield Items;
    start = LastEvaluatedKey;
  } while (start !== undefined);
}
