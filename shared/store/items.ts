/** Reads and writes of single items. */

import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { awsAccess, unlogged } from './aws-access.ts';
import { ATTEMPTS, Contended, pauseBefore } from './contention.ts';
import { type Item, type ItemSchema, parseItem } from './item-schema.ts';
import type { Key } from './keys.ts';
import { isAlive } from './retention.ts';

export interface Condition {
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

export interface Change extends Condition {
  readonly UpdateExpression: string;
}

/** The read of one item, and what the item means. */
export interface Read<Value> {
  readonly key: Key;
  readonly schema: ItemSchema<Value>;
}

/** What some reads found. */
export interface Found {
  /** The item of one of the reads; undefined if there is none. */
  of<Value>(read: Read<Value>): Value | undefined;
}

/**
 * Reads and writes single items of one table. A write that conflicts with a transaction is retried after growing, random
 * delays. A failed condition is a return value, except in `create`; other errors of DynamoDB are thrown unchanged.
 */
export interface ItemStore {
  /**
   * The item with this key. With `aliveAt`, undefined if it has expired by then. An eventually consistent read costs
   * half.
   * @throws CorruptItem
   */
  get<Value>(
    key: Key,
    schema: ItemSchema<Value | undefined>,
    how?: { readonly isConsistent?: boolean; readonly aliveAt?: Date },
  ): Promise<Value | undefined>;

  /**
   * The items of some reads, 100 in a request. Their keys must differ.
   * @throws CorruptItem
   */
  getMany(reads: readonly Read<unknown>[], how?: { readonly isConsistent?: boolean }): Promise<Found>;

  /** Writes an item. Returns whether the condition held. */
  put(item: Item, condition?: Condition): Promise<boolean>;

  /**
   * Writes an item whose key is new.
   * @throws ConditionsFailed if the item exists.
   */
  create(item: Item): Promise<void>;

  /** Changes an item. Returns whether the condition held. */
  update(key: Key, change: Change): Promise<boolean>;

  /**
   * Changes an item. Returns it as it is after the change, or undefined if the condition failed.
   * @throws CorruptItem after the change.
   */
  updateAndGet<Value>(key: Key, change: Change, schema: ItemSchema<Value>): Promise<Value | undefined>;

  /** Deletes an item. Returns whether the condition held. */
  delete(key: Key, condition?: Condition): Promise<boolean>;
}

/** The items of one request (AWS, BatchGetItem). */
const MAX_READS = 100;

/** The condition that an item does not exist, and that it exists. */
export const ABSENT: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };
export const PRESENT: Condition = { ConditionExpression: 'attribute_exists(pk)' };

/** A condition failed where no outcome says so. `failed` are the positions of the writes in their transaction. */
export class ConditionsFailed extends Error {
  override readonly name = 'ConditionsFailed';
  readonly failed: ReadonlySet<number>;

  constructor(failed: ReadonlySet<number>) {
    super(`conditions did not hold: ${[...failed].join(', ')}`);
    this.failed = failed;
  }
}

/** A client that leaves out undefined attributes; makes no request. */
export function openClient(given?: DynamoDBClient): DynamoDBDocumentClient {
  const client = given ?? unlogged(new DynamoDBClient(awsAccess()));
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  if (given === undefined) awsAccess().documents?.(documents);
  return documents;
}

/** The verbs for single items of the table named `TableName`. */
export function itemStoreOf(TableName: string, client: DynamoDBDocumentClient): ItemStore {
  return {
    async get(Key, schema, { isConsistent = true, aliveAt } = {}) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: { ...Key }, ...(isConsistent && { ConsistentRead: true }) }),
      );
      if (Item === undefined || (aliveAt !== undefined && !isAlive(Item, aliveAt))) return undefined;
      return parseItem(Item, schema);
    },

    async getMany(reads, { isConsistent = true } = {}) {
      const items = new Map<string, Item>();
      const readBatch = async (some: typeof reads): Promise<void> => {
        let Keys = some.map(({ key: { pk, sk } }): Item => ({ pk, sk }));
        for (let attempt = 1; Keys.length > 0; attempt += 1) {
          // DynamoDB returns what it could not read in time.
          if (attempt > 1) await pauseBefore(attempt);
          if (attempt > ATTEMPTS) throw new Error(`items that could not be read: ${Keys.length}`);
          const RequestItems = { [TableName]: { Keys, ...(isConsistent && { ConsistentRead: true }) } };
          const { Responses, UnprocessedKeys } = await client.send(new BatchGetCommand({ RequestItems }));
          for (const item of Responses?.[TableName] ?? []) items.set(nameOf(item), item);
          Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
        }
      };
      const batches = Math.ceil(reads.length / MAX_READS);
      await Promise.all(
        Array.from({ length: batches }, (_, n) => readBatch(reads.slice(n * MAX_READS, (n + 1) * MAX_READS))),
      );
      return {
        of({ key, schema }) {
          const item = items.get(nameOf({ ...key }));
          return item && parseItem(item, schema);
        },
      };
    },

    async put(Item, condition = {}) {
      const put = () => client.send(new PutCommand({ TableName, Item, ...condition }));
      return (await unlessConditionFails(put)) !== undefined;
    },

    async create(item) {
      if (!(await this.put(item, ABSENT))) throw new ConditionsFailed(new Set([0]));
    },

    async update(Key, change) {
      const update = () => client.send(new UpdateCommand({ TableName, Key: { ...Key }, ...change }));
      return (await unlessConditionFails(update)) !== undefined;
    },

    async updateAndGet(Key, change, schema) {
      const input = { TableName, Key: { ...Key }, ...change, ReturnValues: 'ALL_NEW' } as const;
      const answer = await unlessConditionFails(() => client.send(new UpdateCommand(input)));
      return answer?.Attributes && parseItem(answer.Attributes, schema);
    },

    async delete(Key, condition = {}) {
      const remove = () => client.send(new DeleteCommand({ TableName, Key: { ...Key }, ...condition }));
      return (await unlessConditionFails(remove)) !== undefined;
    },
  };
}

const nameOf = ({ pk, sk }: Item): string => `${pk} ${sk}`;

/** Performs a single write. Returns undefined if its condition failed. */
async function unlessConditionFails<Answer>(write: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await retryingConflicts(write, (error) => error instanceof TransactionConflictException);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/**
 * Repeats a write that failed only because a transaction used an item at that moment. The SDK does not retry these.
 * @throws Contended if it fails for that reason each time.
 */
export async function retryingConflicts<Answer>(
  write: () => Promise<Answer>,
  isConflict: (error: unknown) => boolean,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === ATTEMPTS) throw new Contended({ cause: error });
      await pauseBefore(attempt + 1);
    }
  }
}
