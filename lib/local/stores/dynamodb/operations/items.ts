/** GetItem, PutItem, UpdateItem, DeleteItem. */
import type * as z from 'zod/mini';
import { parseItem } from '../attribute-value.ts';
import { consumed, readUnits } from '../capacity.ts';
import type { Database } from '../database.ts';
import { itemSize } from '../item-size.ts';
import type * as requests from '../requests.ts';
import { keyNames, keyOf } from '../tables.ts';
import { type Intent, keyIntent, perform, prepare, putIntent, updateIntent } from '../writes.ts';

export function getItem(database: Database, request: z.output<typeof requests.GetItem>) {
  const table = database.table(request.TableName);
  const item = database.storage.read(table.id, keyOf(table.keys, parseItem(request.Key)))?.item;
  const units = () => readUnits(item ? itemSize(item) : 0, request.ConsistentRead === true);
  return {
    Item: item,
    ConsumedCapacity: consumed(request.ReturnConsumedCapacity, [{ table, units }]),
  };
}

export const putItem = (database: Database, request: z.output<typeof requests.PutItem>) =>
  write(database, request, putIntent(request));

export const deleteItem = (database: Database, request: z.output<typeof requests.DeleteItem>) =>
  write(database, request, keyIntent('delete', request));

export const updateItem = (database: Database, request: z.output<typeof requests.UpdateItem>) =>
  write(database, request, updateIntent(request), {
    returnsItem: request.ReturnValues === 'ALL_NEW',
    fleeting: isFleeting(database, request),
  });

function isFleeting(database: Database, request: z.output<typeof requests.UpdateItem>): boolean {
  const [partition = ''] = keyNames(database.table(request.TableName).keys);
  const value = parseItem(request.Key)[partition];
  return value !== undefined && 'S' in value && typeof value.S === 'string' && database.isFleeting(value.S);
}

function write(
  { storage, table }: Database,
  request: z.output<typeof requests.PutItem | typeof requests.UpdateItem | typeof requests.DeleteItem>,
  intent: Intent,
  { returnsItem = false, fleeting = false } = {},
) {
  const prepared = prepare(table(request.TableName), intent);
  const { after, usage } = storage.transaction(() => perform(storage, prepared), { fleeting });
  return {
    Attributes: returnsItem ? after : undefined,
    ConsumedCapacity: consumed(request.ReturnConsumedCapacity, [usage]),
  };
}
