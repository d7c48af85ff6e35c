/** Query on a table or an index, and Scan of a table. */
import type * as z from 'zod/mini';
import { type Item, parseItem } from '../attribute-value.ts';
import { consumed, readUnits } from '../capacity.ts';
import type { Database } from '../database.ts';
import { InvalidRequest } from '../errors.ts';
import { parseCondition } from '../expressions/condition.ts';
import { holds } from '../expressions/evaluate.ts';
import { attributesIn, keyRange } from '../expressions/key-condition.ts';
import { Placeholders } from '../expressions/parser.ts';
import { parseProjection, project } from '../expressions/paths.ts';
import type { Condition } from '../expressions/syntax.ts';
import { itemSize } from '../item-size.ts';
import type * as requests from '../requests.ts';
import type { KeyRange } from '../storage.ts';
import { entryKey, type Index, type Keys, keyNames, keyOf, refuseKeyParts, type Table } from '../tables.ts';

type QueryRequest = z.output<typeof requests.Query>;
type ScanRequest = z.output<typeof requests.Scan>;

/** AWS, "Query": the bytes of items after which a page ends. */
const MAX_PAGE = 1024 * 1024;

export function query({ storage, table: tableNamed }: Database, request: QueryRequest) {
  const table = tableNamed(request.TableName);
  const index = request.IndexName === undefined ? undefined : indexNamed(table, request.IndexName);
  if (index && request.ConsistentRead) {
    throw new InvalidRequest('Consistent reads are not supported on global secondary indexes');
  }
  const { range, filter, paths } = parse(request, table, index);
  const rows = index ? storage.indexRange(table.id, index.name, range) : storage.range(table.id, range);
  return answer(request, { rows, filter, paths, table, index });
}

/** The items of a table in the order of their keys, which DynamoDB does not promise. */
export function scan({ storage, table: tableNamed }: Database, request: ScanRequest) {
  const table = tableNamed(request.TableName);
  const placeholders = new Placeholders(request.ExpressionAttributeNames, request.ExpressionAttributeValues);
  const filter = filterOf(request, placeholders);
  placeholders.refuseUnused();
  refuseKeyParts(table, placeholders.divided);
  const range = startAfter(request, { ...EVERYTHING, forward: true }, table, undefined);
  return answer(request, { rows: storage.range(table.id, range), filter, table });
}

/** No key begins with this byte or a later one. */
const EVERYTHING = { from: Buffer.alloc(0), to: Buffer.of(0xff) };

interface Reading {
  readonly rows: Iterable<Item>;
  readonly filter?: Condition | undefined;
  readonly paths?: ReturnType<typeof parseProjection> | undefined;
  readonly table: Table;
  readonly index?: Index | undefined;
}

function answer(
  request: Pick<QueryRequest, 'Limit' | 'ConsistentRead' | 'ReturnConsumedCapacity'>,
  { rows, filter, paths, table, index }: Reading,
) {
  const page = readPage(rows, request.Limit);
  const items = filter ? page.items.filter((item) => holds(filter, item)) : page.items;
  const units = () => readUnits(page.octets, request.ConsistentRead === true);
  return {
    Items: paths ? items.map((item) => project(item, paths)) : items,
    Count: items.length,
    ScannedCount: page.items.length,
    LastEvaluatedKey: page.last && only(page.last, positionNames(table, index)),
    ConsumedCapacity: consumed(request.ReturnConsumedCapacity, [{ table, units }]),
  };
}

/** Items up to the limit or the page size; `last` is the last item if one of them ended the page. */
function readPage(rows: Iterable<Item>, limit: number | undefined) {
  const items: Item[] = [];
  let octets = 0;
  for (const item of rows) {
    items.push(item);
    octets += itemSize(item);
    if (items.length === limit || octets >= MAX_PAGE) return { items, octets, last: item };
  }
  return { items, octets };
}

function parse(request: QueryRequest, table: Table, index: Index | undefined) {
  const placeholders = new Placeholders(request.ExpressionAttributeNames, request.ExpressionAttributeValues);
  const keys = index?.keys ?? table.keys;
  const condition = parseCondition('KeyConditionExpression', request.KeyConditionExpression, placeholders);
  const filter = filterOf(request, placeholders);
  const paths =
    request.ProjectionExpression === undefined
      ? undefined
      : parseProjection(request.ProjectionExpression, placeholders);
  placeholders.refuseUnused();
  refuseKeyParts(table, placeholders.divided);
  if (filter) refuseKeys(filter, keys);
  const bounds = keyRange(condition, keys);
  return {
    range: startAfter(request, { ...bounds, forward: request.ScanIndexForward !== false }, table, index),
    filter,
    paths,
  };
}

const filterOf = (
  { FilterExpression: text }: Pick<QueryRequest, 'FilterExpression'>,
  placeholders: Placeholders,
): Condition | undefined =>
  text === undefined ? undefined : parseCondition('FilterExpression', text, placeholders);

function startAfter(
  request: Pick<QueryRequest, 'ExclusiveStartKey'>,
  range: KeyRange,
  table: Table,
  index: Index | undefined,
): KeyRange {
  if (!request.ExclusiveStartKey) return range;
  const start = parseItem(request.ExclusiveStartKey);
  const invalid = (reason: string) => new InvalidRequest(`The provided starting key is ${reason}`);
  if (Object.keys(start).length !== positionNames(table, index).length) throw invalid('invalid');
  const own = keyOf(table.keys, only(start, keyNames(table.keys)));
  if (index) keyOf(index.keys, only(start, keyNames(index.keys)));
  const position = index ? entryKey(table, index, start) : own;
  if (!position) throw invalid('invalid');
  if (Buffer.compare(position, range.from) < 0 || Buffer.compare(position, range.to) >= 0) {
    throw invalid('outside query boundaries based on provided conditions');
  }
  // No key is a prefix of another, so appending a byte gives the first key after it.
  return range.forward
    ? { ...range, from: Buffer.concat([position, Buffer.alloc(1)]) }
    : { ...range, to: position };
}

function refuseKeys(filter: Condition, keys: Keys): void {
  const key = keyNames(keys).find((name) => attributesIn(filter).has(name));
  if (key !== undefined) {
    throw new InvalidRequest(
      `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${key}`,
    );
  }
}

function indexNamed(table: Table, name: string): Index {
  const index = table.indexes.find((one) => one.name === name);
  if (!index) throw new InvalidRequest(`The table does not have the specified index: ${name}`);
  return index;
}

/** The attributes that determine an item's position in a table or an index. */
const positionNames = (table: Table, index: Index | undefined): readonly string[] => [
  ...new Set([...keyNames(table.keys), ...(index ? keyNames(index.keys) : [])]),
];

const only = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
