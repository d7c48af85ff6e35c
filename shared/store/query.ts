/** Queries that follow DynamoDB's pages until they have enough items. */
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Item, type ItemSchema, parseItem } from './item-schema.ts';
import type { IndexKey, Range } from './keys.ts';
import { isAlive } from './retention.ts';

export type Query = Omit<QueryCommandInput, 'TableName' | 'Limit' | 'ExclusiveStartKey'>;

/** All items of a partition, in order. */
export const allOfPartition = ({ pk }: Pick<Range, 'pk'>): Query => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': pk },
});

/** The items of a partition whose sort keys begin with `prefix`, in order. An empty prefix, which no key may be, means all. */
export const startingWith = ({ pk, prefix }: Range): Query =>
  prefix === ''
    ? allOfPartition({ pk })
    : {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      };

/** The items of a partition whose sort keys are from `low` to `high`, in order. */
export const between = (pk: string, low: string, high: string): Query => ({
  KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
  ExpressionAttributeValues: { ':pk': pk, ':low': low, ':high': high },
});

/** The items of an index partition in order: all, or those whose sort keys are from `low` to `high`. */
export const ofIndex = (
  { gsi1pk }: Pick<IndexKey, 'gsi1pk'>,
  range?: { readonly low: string; readonly high: string },
): Query => ({
  IndexName: 'gsi1',
  KeyConditionExpression: `gsi1pk = :pk${range === undefined ? '' : ' AND gsi1sk BETWEEN :low AND :high'}`,
  ExpressionAttributeValues: {
    ':pk': gsi1pk,
    ...(range && { ':low': range.low, ':high': range.high }),
  },
});

/** Those items of a query in which attributes have these values. */
export const filtered = (query: Query, values: Readonly<Record<string, string>>): Query => ({
  ...query,
  FilterExpression: Object.keys(values)
    .map((name) => `${name} = :${name}`)
    .join(' AND '),
  ExpressionAttributeValues: {
    ...query.ExpressionAttributeValues,
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
  },
});

export interface Wanted {
  /** How many items are enough; all by default. Nothing is read beyond the last one. */
  readonly most?: number;
  /** Items that have expired by this time are skipped and not counted. */
  readonly aliveAt?: Date;
}

/** The pages of a list; the first page is 1. */
export interface Page {
  readonly page: number;
  readonly limit: number;
}

/**
 * A page of a list: the one with a number, or with `after` the one after a row, whatever was written or removed since. `after` is
 * the position of the row, as the list names it.
 */
export interface PageAfter extends Page {
  readonly after?: string | undefined;
}

/** What a list found: where it can be continued is the position `last`. */
export interface Continuable {
  readonly hasMore: boolean;
  /** Undefined if there is no row. */
  readonly last: string | undefined;
}

/** How many rows to skip, and to read at most to know whether there are more. */
export function rowsOf({ page, limit, after }: PageAfter): { readonly skip: number; readonly end: number } {
  const end = after === undefined ? page * limit : limit;
  return { skip: end - limit, end };
}

/**
 * What sorts right before a key, so that a range can end there: keys consist of characters before `~` (in ASCII), and no key starts
 * with the result.
 */
export const justBefore = (key: string): string =>
  `${key.slice(0, -1)}${String.fromCharCode(key.charCodeAt(key.length - 1) - 1)}~`;

/**
 * A corrupt item fails the whole query: a list without it would look complete. The queries throw CorruptItem then. An item
 * that its schema reads as undefined (`unlessOther`) is skipped and not counted.
 */
export interface Queries {
  /** The items of a query, in order. */
  query<Value>(query: Query, schema: ItemSchema<Value | undefined>, wanted?: Wanted): Promise<Value[]>;

  /**
   * The items of a query one by one, for results that may not fit into memory. `together` is how many a request
   * reads, or the next one; by default as many as fit into a response.
   */
  each<Value>(
    query: Query,
    schema: ItemSchema<Value | undefined>,
    how?: { readonly together?: number | (() => number) } & Pick<Wanted, 'aliveAt'>,
  ): AsyncGenerator<Value>;

  /** One page of a query's items, which begins after `after`. Reads everything before the page, the page and one more item. */
  page<Value>(
    query: Query,
    schema: ItemSchema<Value | undefined>,
    page: PageAfter & Pick<Wanted, 'aliveAt'>,
  ): Promise<{ readonly items: readonly Value[]; readonly hasMore: boolean }>;
}

/** How many items a query with a filter reads at least in a request. */
const FILTERED_TOGETHER = 100;

/** Those items that are alive, and of a kind that is known. */
function* parsed<Value>(
  items: readonly Item[],
  schema: ItemSchema<Value | undefined>,
  aliveAt: Date | undefined,
): Generator<Value> {
  for (const item of items) {
    const value = aliveAt === undefined || isAlive(item, aliveAt) ? parseItem(item, schema) : undefined;
    if (value !== undefined) yield value;
  }
}

/** Queries of the table named `TableName`. */
export function queriesOf(TableName: string, client: DynamoDBDocumentClient): Queries {
  return {
    async query<Value>(
      query: Query,
      schema: ItemSchema<Value | undefined>,
      { most = Number.POSITIVE_INFINITY, aliveAt }: Wanted = {},
    ) {
      const items: Value[] = [];
      for await (const some of answers(query, () => most - items.length)) {
        items.push(...parsed(some, schema, aliveAt));
        if (items.length >= most) break;
      }
      return items.slice(0, most);
    },

    async *each(query, schema, { together = Number.POSITIVE_INFINITY, aliveAt } = {}) {
      const limit = typeof together === 'number' ? () => together : together;
      for await (const some of answers(query, limit)) yield* parsed(some, schema, aliveAt);
    },

    async page(query, schema, { aliveAt, ...page }) {
      const { skip, end } = rowsOf(page);
      const items = await this.query(query, schema, { most: end + 1, ...(aliveAt && { aliveAt }) });
      return { items: items.slice(skip, end), hasMore: items.length > end };
    },
  };

  /** DynamoDB returns up to 1 MB per response, and with a filter possibly an empty one. */
  async function* answers(query: Query, limit: () => number): AsyncGenerator<Item[]> {
    let start: Item | undefined;
    do {
      const most = limit();
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          ...query,
          ...(Number.isFinite(most) && {
            // DynamoDB counts items before it filters them.
            Limit: query.FilterExpression === undefined ? most : Math.max(most, FILTERED_TOGETHER),
          }),
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      yield Items;
      start = LastEvaluatedKey;
    } while (start !== undefined);
  }
}
