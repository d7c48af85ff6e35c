/** BatchGetItem, BatchWriteItem. */
import type * as z from 'zod/mini';
import { parseItem } from '../attribute-value.ts';
import { consumedByTable, readUnits } from '../capacity.ts';
import type { Database } from '../database.ts';
import { constraintViolated, InvalidRequest } from '../errors.ts';
import { itemSize } from '../item-size.ts';
import type * as requests from '../requests.ts';
import { keyOf } from '../tables.ts';
import { keyIntent, perform, prepare, putIntent } from '../writes.ts';

/** AWS, "BatchGetItem": the keys of a request. */
const MAX_READS = 100;
/** AWS, "BatchWriteItem": the puts and deletes of a request. */
const MAX_WRITES = 25;

/** AWS may process part of a batch and return the rest; this processes all of it. */
export function batchGetItem(
  { storage, table: named }: Database,
  request: z.output<typeof requests.BatchGetItem>,
) {
  const byTable = Object.entries(request.RequestItems);
  checkCount(
    byTable.flatMap(([, { Keys }]) => Keys),
    MAX_READS,
  );
  const found = byTable.map(([name, { Keys, ConsistentRead = false }]) => {
    const table = named(name);
    const keys = Keys.map((key) => keyOf(table.keys, parseItem(key)));
    refuseDuplicates(keys);
    const items = keys.map((key) => storage.read(table.id, key)?.item);
    const units = items.map((item) => () => readUnits(item ? itemSize(item) : 0, ConsistentRead));
    return { name, table, items: items.filter((item) => item !== undefined), units };
  });
  return {
    Responses: Object.fromEntries(found.map(({ name, items }) => [name, items])),
    UnprocessedKeys: {},
    ConsumedCapacity: consumedByTable(
      request.ReturnConsumedCapacity,
      found.flatMap(({ table, units }) => units.map((one) => ({ table, units: one }))),
    ),
  };
}

/** AWS may process part of a batch and return the rest; this processes all of it. */
export function batchWriteItem(
  { storage, table }: Database,
  request: z.output<typeof requests.BatchWriteItem>,
) {
  const byTable = Object.entries(request.RequestItems);
  checkCount(Object.values(request.RequestItems).flat(), MAX_WRITES);
  const writes = byTable.flatMap(([name, tableRequest]) => {
    const prepared = tableRequest.map(({ PutRequest, DeleteRequest }) => {
      if (PutRequest && !DeleteRequest) return prepare(table(name), putIntent(PutRequest));
      if (DeleteRequest && !PutRequest) return prepare(table(name), keyIntent('delete', DeleteRequest));
      throw new InvalidRequest(
        'Supplied WriteRequest must contain exactly one of PutRequest and DeleteRequest',
      );
    });
    refuseDuplicates(prepared.map(({ key }) => key));
    return prepared;
  });
  const usages = storage.transaction(() => writes.map((write) => perform(storage, write).usage));
  return { UnprocessedItems: {}, ConsumedCapacity: consumedByTable(request.ReturnConsumedCapacity, usages) };
}

function checkCount({ length }: readonly unknown[], limit: number): void {
  if (length < 1 || length > limit)
    throw constraintViolated('requestItems', `Member must have length between 1 and ${limit}`);
}

function refuseDuplicates(keys: readonly Buffer[]): void {
  if (new Set(keys.map((key) => key.toString('latin1'))).size < keys.length) {
    throw new InvalidRequest('Provided list of item keys contains duplicates');
  }
}
