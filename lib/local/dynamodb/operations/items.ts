/** GetItem, PutItem, UpdateItem, DeleteItem. */
import type * as z from 'zod/mini';
import { type Item, parseItem } from '../attribute-value.ts';
import { consumed, readUnits } from '../capacity.ts';
import type { Database } from '../database.ts';
import { Placeholders } from '../expressions/parser.ts';
import { parseProjection, project } from '../expressions/paths.ts';
import type { Path } from '../expressions/syntax.ts';
import { itemSize } from '../item-size.ts';
import type * as requests from '../requests.ts';
import { keyOf, type Table } from '../tables.ts';
import {
  type Intent,
  keyIntent,
  perform,
  prepare,
  putIntent,
  updateIntent,
  type Written,
} from '../writes.ts';

export function getItem(database: Database, request: z.output<typeof requests.GetItem>) {
  const table = database.table(request.TableName);
  const paths = projectionOf(request);
  const item = readItem(database, table, request.Key);
  const units = readUnits(item ? itemSize(item) : 0, request.ConsistentRead === true);
  return {
    Item: item && paths ? project(item, paths) : item,
    ConsumedCapacity: consumed(request.ReturnConsumedCapacity, [{ table, units, indexes: new Map() }]),
  };
}

export const putItem = (database: Database, request: z.output<typeof requests.PutItem>) =>
  write(database, request, putIntent(request), ({ before }) => before);

export const deleteItem = (database: Database, request: z.output<typeof requests.DeleteItem>) =>
  write(database, request, keyIntent('delete', request), ({ before }) => before);

export function updateItem(database: Database, request: z.output<typeof requests.UpdateItem>) {
  const intent = updateIntent(request);
  const paths = intent.change.kind === 'update' ? intent.change.actions.map(({ path }) => path) : [];
  const updated = (image: Item | undefined): Item | undefined => {
    const part = image && project(image, paths);
    return part && Object.keys(part).length > 0 ? part : undefined;
  };
  return write(database, request, intent, ({ before, after }) => {
    if (request.ReturnValues === 'ALL_OLD') return before;
    if (request.ReturnValues === 'ALL_NEW') return after;
    return updated(request.ReturnValues === 'UPDATED_OLD' ? before : after);
  });
}

/** The item that a request's key refers to. */
export const readItem = (
  { storage }: Database,
  table: Table,
  key: Readonly<Record<string, unknown>>,
): Item | undefined => storage.read(table.id, keyOf(table.keys, parseItem(key)))?.item;

/** The paths of a request's projection; undefined without one. */
export function projectionOf(request: {
  readonly ProjectionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
}): readonly Path[] | undefined {
  const placeholders = new Placeholders(request.ExpressionAttributeNames);
  const { ProjectionExpression: expression } = request;
  const paths = expression === undefined ? undefined : parseProjection(expression, placeholders);
  placeholders.refuseUnused();
  return paths;
}

function write(
  { storage, table }: Database,
  request: z.output<typeof requests.PutItem | typeof requests.UpdateItem | typeof requests.DeleteItem>,
  intent: Intent,
  answer: (written: Written) => Item | undefined,
) {
  const prepared = prepare(table(request.TableName), intent);
  const written = storage.transaction(() => perform(storage, prepared));
  return {
    Attributes: (request.ReturnValues ?? 'NONE') === 'NONE' ? undefined : answer(written),
    ConsumedCapacity: consumed(request.ReturnConsumedCapacity, [written.usage]),
  };
}
