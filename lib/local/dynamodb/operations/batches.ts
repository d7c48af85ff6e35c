/** BatchWriteItem. */
import type * as z from 'zod/mini';
import { consumedByTable } from '../capacity.ts';
import type { Database } from '../database.ts';
import { constraintViolated, InvalidRequest } from '../errors.ts';
import type * as requests from '../requests.ts';
import { keyIntent, perform, prepare, putIntent } from '../writes.ts';

/** AWS, "BatchWriteItem": the puts and deletes of a request. */
const MAX_WRITES = 25;

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
