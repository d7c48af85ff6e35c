/** Queries that follow DynamoDB's pages until they have enough items. */
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from './table.ts';

export type Query = Omit<QueryCommandInput, 'TableName' | 'Limit' | 'ExclusiveStartKey'>;

export type Item = Record<string, unknown>;

export interface Wanted {
  /** How many items are enough; all by default. Nothing is read beyond the last one. */
  readonly most?: number;
  /** Items that do not match are skipped and not counted. */
  readonly isWanted?: (item: Item) => boolean;
}

/** The items of a query, in order. */
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

/** The items of a query one by one, for results that may not fit into memory. */
export async function* eachFound(table: Table, query: Query): AsyncGenerator<Item> {
  for await (const some of answers(table, query, () => Number.POSITIVE_INFINITY)) yield* some;
}

/** One page of a query's items; the first page is 1. Reads everything before the page, the page and one more item. */
export async function foundOnPage(
  table: Table,
  query: Query,
  { page, limit, isWanted }: { page: number; limit: number } & Pick<Wanted, 'isWanted'>,
): Promise<{ items: Item[]; hasMore: boolean }> {
  const end = page * limit;
  const items = await found(table, query, { most: end + 1, ...(isWanted && { isWanted }) });
  return { items: items.slice(end - limit, end), hasMore: items.length > end };
}

/** DynamoDB returns up to 1 MB per response, and with a filter possibly an empty one. */
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
