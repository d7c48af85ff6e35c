/** The DynamoDB table as the entity files use it. Where it is comes from the SDK's own environment variables. */

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

/** How often a transaction that met another one on the same item is tried again. */
const CONFLICT_ATTEMPTS = 8;

/** Opens the table named `name`; makes no request. */
export function openTable(name: string, client: DynamoDBClient = new DynamoDBClient({})): Table {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  versionItems(documents);
  return { name, client: documents };
}

/** The writes of a transaction whose conditions did not hold, by their place in it. */
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
 * Writes all items or none. A conflict with another transaction is tried again with growing, random pauses.
 * @throws ConditionsFailed when a condition did not hold; whatever else DynamoDB throws.
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
 * The condition of a put over an item that counts its changes as `revision`: nobody wrote since it was read. 0 stands
 * for an item that was not there.
 */
export function unchangedSince(revision: number) {
  return revision === 0
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : { ConditionExpression: 'revision = :revision', ExpressionAttributeValues: { ':revision': revision } };
}

/** Whether a single write failed because its condition did not hold. */
export function conditionFailed(error: unknown): error is ConditionalCheckFailedException {
  return error instanceof ConditionalCheckFailedException;
}
