/** The DynamoDB table as the entity files use it. The SDK's environment variables determine its endpoint. */

import { type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Item } from './item-schema.ts';
import {
  type Change,
  type Condition,
  ConditionsFailed,
  type Found,
  type ItemStore,
  itemStoreOf,
  openClient,
  type Read,
  retryingConflicts,
} from './items.ts';
import type { Key } from './keys.ts';
import { type Queries, queriesOf } from './query.ts';

/** One write or condition of a transaction. */
export type Write =
  | { readonly Put: { readonly Item: Item } & Condition }
  | { readonly Update: { readonly Key: Key } & Change }
  | { readonly Delete: { readonly Key: Key } & Condition }
  | { readonly ConditionCheck: { readonly Key: Key } & Condition };

export interface Table extends ItemStore, Queries {
  readonly name: string;
  readonly client: DynamoDBDocumentClient;

  /**
   * Performs all writes or none. Returns the positions of the writes whose conditions failed; if there are none,
   * everything is written. A conflict with other writes is retried.
   */
  tryTransact(writes: readonly Write[]): Promise<ReadonlySet<number>>;

  /**
   * Performs all writes or none.
   * @throws ConditionsFailed if a condition failed.
   */
  transact(writes: readonly Write[]): Promise<void>;
}

/** Opens the table named `name`; makes no request. */
export const openTable = (name: string, client?: DynamoDBClient): Table => tableOn(name, openClient(client));

/** The table named `name`, through a client from `openClient`. */
export function tableOn(name: string, client: DynamoDBDocumentClient): Table {
  return {
    name,
    client,
    ...itemStoreOf(name, client),
    ...queriesOf(name, client),

    async tryTransact(writes) {
      const TransactItems = writes.map((write) => named(name, write));
      const transact = () => client.send(new TransactWriteCommand({ TransactItems }));
      try {
        await retryingConflicts(transact, isConflict);
        return new Set();
      } catch (error) {
        const failed = withReason('ConditionalCheckFailed', error);
        if (failed.size === 0) throw error;
        return failed;
      }
    },

    async transact(writes) {
      const failed = await this.tryTransact(writes);
      if (failed.size > 0) throw new ConditionsFailed(failed);
    },
  };
}

function named(
  TableName: string,
  write: Write,
): NonNullable<TransactWriteCommandInput['TransactItems']>[number] {
  if ('Put' in write) return { Put: { TableName, ...write.Put } };
  if ('Update' in write) return { Update: { TableName, ...write.Update, Key: { ...write.Update.Key } } };
  if ('Delete' in write) return { Delete: { TableName, ...write.Delete, Key: { ...write.Delete.Key } } };
  const { Key, ConditionExpression, ...values } = write.ConditionCheck;
  return { ConditionCheck: { TableName, Key: { ...Key }, ConditionExpression, ...values } };
}

/** A transaction whose condition failed as well would fail again. */
const isConflict = (error: unknown): boolean =>
  withReason('TransactionConflict', error).size > 0 && withReason('ConditionalCheckFailed', error).size === 0;

/** The positions of the writes that were the reason why a transaction was canceled. */
function withReason(code: string, error: unknown): ReadonlySet<number> {
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  return new Set(reasons.flatMap(({ Code }, at) => (Code === code ? [at] : [])));
}

export interface TransactionPart {
  /** What the writes depend on; read with what they go with. */
  readonly reads: readonly Read<unknown>[];
  /**
   * The writes. Their conditions must fail if what they depend on changed: then it is read again, and the writes are
   * made again.
   */
  writes(found: Found): readonly Write[];
}

/** All writes of several callers. Their reads must have different keys. */
export const combine = (parts: readonly TransactionPart[]): TransactionPart => ({
  reads: parts.flatMap(({ reads }) => reads),
  writes: (found) => parts.flatMap((part) => part.writes(found)),
});
