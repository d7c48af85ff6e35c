/** GetItem, PutItem, UpdateItem, DeleteItem. */
import type * as z from 'zod/mini';
import { parseItem } from '../attribute-value.ts';
import { consumed, readUnits } from '../capacity.ts';
import type { Database } from '../database.ts';
import { itemSize } from '../item-size.ts';
import type * as requests from '../requests.ts';
import { keyOf } from '../tables.ts';
import { type Intent, keyIntent, perform, prepare, putIntent, updateIntent, type Write } from '../writes.ts';

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
  write(database, request, updateIntent(request), request.ReturnValues === 'ALL_NEW');

/** Only updates are. */
function isFleeting({ isFleeting }: Database, { table, change }: Write): boolean {
  const value = change.kind === 'update' ? change.key[table.keys[0].name] : undefined;
  return value !== undefined && 'S' in value && isFleeting(value.S);
}

function write(
  database: Database,
  request: z.output<typeof requests.PutItem | typeof requests.UpdateItem | typeof requests.DeleteItem>,
  intent: Intent,
  returnsItem = false,
) {
  const { storage, table } = database;
  const prepared = prepare(table(request.TableName), intent);
  const { after, usage } = storage.transaction(() => perform(storage, prepared), {
    fleeting: isFleeting(database, prepared),
  });
  return {
    Attributes: returnsItem ? after : undefined,
    ConsumedCapacity: consumed(request.ReturnConsumedCapacity, [usage]),
  };
}
