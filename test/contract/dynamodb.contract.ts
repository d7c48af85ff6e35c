/**
 * The behavior of DynamoDB that this service relies on, tested with the unmodified AWS SDK. The same cases run against
 * the embedded endpoint and any other endpoint.
 */
import { afterAll, beforeAll } from '@jest/globals';
import { batchContract } from './dynamodb/batches.ts';
import { capacityContract } from './dynamodb/capacity.ts';
import { concurrencyContract } from './dynamodb/concurrency.ts';
import { contractTest, type Deviations } from './dynamodb/contract-test.ts';
import { itemContract } from './dynamodb/items.ts';
import { queryContract } from './dynamodb/queries.ts';
import { type Connection, openSubject, type Subject } from './dynamodb/subject.ts';
import { tableContract } from './dynamodb/tables.ts';
import { transactionContract } from './dynamodb/transactions.ts';
import { updateContract } from './dynamodb/updates.ts';

/** AWS needs some time to create and delete a table. */
const TABLES_MILLISECONDS = 180_000;

/** Registers the test cases. `connect` returns the client configuration when the tests run. */
export function dynamoDbContract(connect: () => Promise<Connection>, deviations: Deviations = {}): void {
  let opened: Subject | undefined;
  const subject = (): Subject => {
    if (!opened) throw new Error('the table does not exist yet');
    return opened;
  };
  beforeAll(async () => {
    opened = await openSubject(await connect());
  }, TABLES_MILLISECONDS);
  afterAll(() => opened?.close(), TABLES_MILLISECONDS);

  const { test, titles } = contractTest(deviations);
  for (const register of [
    tableContract,
    itemContract,
    updateContract,
    queryContract,
    batchContract,
    transactionContract,
    concurrencyContract,
    capacityContract,
  ]) {
    register(subject, test);
  }
  const unknown = Object.keys(deviations).filter((title) => !titles.has(title));
  if (unknown.length > 0) throw new Error(`no such test case: ${unknown.join(', ')}`);
}
