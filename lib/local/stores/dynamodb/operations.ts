/** The supported operations with their request schemas. */
import type * as z from 'zod/mini';
import type { Database } from './database.ts';
import { notOffered } from './errors.ts';
import { batchGetItem, batchWriteItem } from './operations/batches.ts';
import { deleteItem, getItem, putItem, updateItem } from './operations/items.ts';
import { query, scan } from './operations/query.ts';
import { createTable, deleteTable, describeTable, updateTimeToLive } from './operations/tables.ts';
import { transactWriteItems } from './operations/transactions.ts';
import * as requests from './requests.ts';

type Operation = (database: Database, input: unknown) => unknown;

const operation =
  <Schema extends z.core.$ZodType>(
    schema: Schema,
    run: (database: Database, request: z.output<Schema>) => unknown,
  ): Operation =>
  (database, input) =>
    run(database, requests.parseRequest(schema, input));

const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['CreateTable', operation(requests.CreateTable, createTable)],
  ['DescribeTable', operation(requests.TableName, describeTable)],
  ['DeleteTable', operation(requests.TableName, deleteTable)],
  ['UpdateTimeToLive', operation(requests.UpdateTimeToLive, updateTimeToLive)],
  ['GetItem', operation(requests.GetItem, getItem)],
  ['PutItem', operation(requests.PutItem, putItem)],
  ['UpdateItem', operation(requests.UpdateItem, updateItem)],
  ['DeleteItem', operation(requests.DeleteItem, deleteItem)],
  ['Query', operation(requests.Query, query)],
  ['Scan', operation(requests.Scan, scan)],
  ['BatchGetItem', operation(requests.BatchGetItem, batchGetItem)],
  ['BatchWriteItem', operation(requests.BatchWriteItem, batchWriteItem)],
  ['TransactWriteItems', operation(requests.TransactWriteItems, transactWriteItems)],
]);

/** Handles a request. Throws the `Refusal` to respond with. */
export function run(database: Database, name: string, input: unknown): unknown {
  const found = OPERATIONS.get(name);
  if (!found) throw notOffered(`the operation ${name}`);
  return found(database, input);
}
