/** The DynamoDB table as the entity files use it. The SDK's environment variables determine its endpoint. */

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { versionItems } from './item-version.ts';

export interface Table {
  readonly name: string;
  readonly client: DynamoDBDocumentClient;
}

export type TransactItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

/** How often a transaction is retried after a conflict with another transaction. */
const CONFLICT_ATTEMPTS = 8;

/** Opens the table named `name`; makes no request. */
export function openTable(name: string, client: DynamoDBClient = new DynamoDBClient({})): Table {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  versionItems(documents);
  return { name, client: documents };
}

/** The writes of a transaction whose conditions failed, by their position. */
export class ConditionsFailed extends Error {
  override readonly name = 'ConditionsFailed';
  readonly failed: ReadonlySet<number>;

  constructor(reasons: readonly CancellationReason[], cause: unknown) {
    super('a condition of the transaction did not hold', { cause });
    this.failed = new Set(
      reasons.flatMap((reason, at) => (reason.Code === 'ConditionalCheckFailed' ? [at] : [])),
    );
  }
}

/**
 * Writes all items or none. Retries conflicts with other transactions after growing, random delays.
 * @throws ConditionsFailed if a condition failed; otherwise what DynamoDB throws.
 */
export async function transact(table: Table, items: TransactItems): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await table.client.send(new TransactWriteCommand({ TransactItems: items }));
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      if (reasons.some((reason) => reason.Code === 'ConditionalCheckFailed'))
        throw new ConditionsFailed(reasons, error);
      if (!reasons.some((reason) => reason.Code === 'TransactionConflict') || attempt === CONFLICT_ATTEMPTS)
        throw error;
      await sleep(Math.random() * 10 * 2 ** attempt);
    }
  }
}

/**
 * The condition that an item with a `revision` counter did not change since it was read. 0 means that it did not exist.
 */
export function unchangedSince(revision: number) {
  return revision === 0
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : { ConditionExpression: 'revision = :revision', ExpressionAttributeValues: { ':revision': revision } };
}

/** Whether a single write failed because of its condition. */
export function conditionFailed(error: unknown): error is ConditionalCheckFailedException {
  return error instanceof ConditionalCheckFailedException;
}
