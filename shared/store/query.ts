/** Queries that follow DynamoDB's pages until they have enough items. */
import {
  type DynamoDBDocumentClient,
  type GetCommandOutput,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { isAlive } from './retention.ts';

/** The attributes of an item; the SDK does not know their types. */
export type Item = NonNullable<GetCommandOutput['Item']>;

export type Query = Omit<QueryCommandInput, 'TableName' | 'Limit' | 'ExclusiveStartKey'>;

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

export interface Queries {
  /** The items of a query, in order. */
  query(query: Query, wanted?: Wanted): Promise<Item[]>;

  /** The items of a query one by one, for results that may not fit into memory. */
  each(query: Query): AsyncGenerator<Item>;

  /** One page of a query's items. Reads everything before the page, the page and one more item. */
  page(
    query: Query,
    page: Page & Pick<Wanted, 'aliveAt'>,
  ): Promise<{ readonly items: readonly Item[]; readonly hasMore: boolean }>;
}

/** Queries of the table named `TableName`. */
export function queriesOf(TableName: string, client: DynamoDBDocumentClient): Queries {
  return {
    async query(query, { most = Number.POSITIVE_INFINITY, aliveAt } = {}) {
      const items: Item[] = [];
      for await (const some of answers(query, () => most - items.length)) {
        items.push(...some.filter((item) => aliveAt === undefined || isAlive(item, aliveAt)));
        if (items.length >= most) break;
      }
      return items;
    },

    async *each(query) {
      for await (const some of answers(query, () => Number.POSITIVE_INFINITY)) yield* some;
    },

    async page(query, { page, limit, ...wanted }) {
      const end = page * limit;
      const items = await this.query(query, { most: end + 1, ...wanted });
      return { items: items.slice(end - limit, end), hasMore: items.length > end };
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
          ...(Number.isFinite(most) && { Limit: most }),
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      yield Items;
      start = LastEvaluatedKey;
    } while (start !== undefined);
  }
}
