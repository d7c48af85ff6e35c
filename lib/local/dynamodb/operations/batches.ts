/** BatchGetItem and BatchWriteItem. */
import type * as z from 'zod/mini';
import { parseItem } from '../attribute-value.ts';
import { consumedByTable, readUnits, type Usage } from '../capacity.ts';
import type { Database } from '../database.ts';
import { constraintViolated, InvalidRequest } from '../errors.ts';
import { project } from '../expressions/paths.ts';
import { itemSize } from '../item-size.ts';
import type * as requests from '../requests.ts';
import { keyOf } from '../tables.ts';
import { keyIntent, perform, prepare, putIntent } from '../writes.ts';
import { projectionOf, readItem } from './items.ts';

/** AWS, "BatchGetItem": the keys of a request, and the bytes of a response beyond which keys are unprocessed. */
const MAX_GETS = 100;
const MAX_ANSWER = 16 * 1024 * 1024;
/** AWS, "BatchWriteItem": the puts and deletes of a request. */
const MAX_WRITES = 25;

export function batchGetItem(database: Database, request: z.output<typeof requests.BatchGetItem>) {
  const byTable = Object.entries(request.RequestItems);
  checkCount(
    byTable.reduce((sum, [, { Keys }]) => sum + Keys.length, 0),
    MAX_GETS,
  );
  const usages: Usage[] = [];
  const responses: [string, unknown[]][] = [];
  const unprocessed: [string, unknown][] = [];
  let octets = 0;
  for (const [name, tableRequest] of byTable) {
    const table = database.table(name);
    const paths = projectionOf(tableRequest);
    refuseDuplicates(tableRequest.Keys.map((key) => keyOf(table.keys, parseItem(key))));
    const found: unknown[] = [];
    const left: unknown[] = [];
    for (const key of tableRequest.Keys) {
      const item = octets < MAX_ANSWER ? readItem(database, table, key) : undefined;
      if (octets >= MAX_ANSWER) left.push(key);
      const size = item ? itemSize(item) : 0;
      octets += size;
      usages.push({
        table,
        units: readUnits(size, tableRequest.ConsistentRead === true),
        indexes: new Map(),
      });
      if (item) found.push(paths ? project(item, paths) : item);
    }
    responses.push([name, found]);
    if (left.length > 0) unprocessed.push([name, { ...tableRequest, Keys: left }]);
  }
  return {
    Responses: Object.fromEntries(responses),
    UnprocessedKeys: Object.fromEntries(unprocessed),
    ConsumedCapacity: consumedByTable(request.ReturnConsumedCapacity, usages),
  };
}

/** AWS may process part of a batch and return the rest; this processes all of it. */
export function batchWriteItem(
  { storage, table }: Database,
  request: z.output<typeof requests.BatchWriteItem>,
) {
  const byTable = Object.entries(request.RequestItems);
  checkCount(
    byTable.reduce((sum, [, writes]) => sum + writes.length, 0),
    MAX_WRITES,
  );
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

function checkCount(count: number, limit: number): void {
  if (count < 1 || count > limit) {
    throw constraintViolated('requestItems', `Member must have length between 1 and ${limit}`);
  }
}

function refuseDuplicates(keys: readonly Buffer[]): void {
  if (new Set(keys.map((key) => key.toString('latin1'))).size < keys.length) {
    throw new InvalidRequest('Provided list of item keys contains duplicates');
  }
}
