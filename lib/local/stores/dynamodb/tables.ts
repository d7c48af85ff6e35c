/** Tables: their definition, the keys and index entries that follow from it, and when items expire. */
import { attribute, type Item, typeOf } from './attribute-value.ts';
import { emptyKey, InvalidRequest, invalidParameter } from './errors.ts';
import { encode } from './order.ts';

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S';
}

/** Partition key, and sort key if there is one. */
export type Keys = readonly [KeyAttribute, KeyAttribute?];

export interface Index {
  readonly name: string;
  readonly keys: Keys;
  readonly projection: { readonly ProjectionType: 'ALL' };
}

export interface Table {
  readonly id: number;
  readonly name: string;
  readonly keys: Keys;
  readonly indexes: readonly Index[];
  /** Seconds since 1970. */
  readonly created: number;
  /** The attribute that says when an item expires; undefined while time to live is disabled. */
  readonly timeToLive?: string | undefined;
}

/** AWS, "Service, account, and table quotas": the bytes of a partition key and of a sort key. */
const MAX_KEY = [2048, 1024] as const;

export const keyNames = (keys: Keys): readonly string[] => keys.flatMap((key) => key?.name ?? []);

/** The encoded key of an item to write. Throws `InvalidRequest` if the item does not fit the table. */
export function keyOfItem(table: Table, item: Item): Buffer {
  const parts = keyNames(table.keys).map((name, position) => {
    const value = attribute(item, name);
    if (!value) throw invalidParameter(`Missing the key ${name} in the item`);
    if ('S' in value) return encodeKey(name, value.S, position);
    throw invalidParameter(`Type mismatch for key ${name} expected: S actual: ${typeOf(value)}`);
  });
  for (const index of table.indexes) checkIndexKeys(index, item);
  return Buffer.concat(parts);
}

/** The encoded key in a request. Throws `InvalidRequest` unless it has exactly the key attributes. */
export function keyOf(keys: Keys, key: Item): Buffer {
  const names = keyNames(keys);
  const parts = names.map((name, position) => {
    const value = attribute(key, name);
    if (value && 'S' in value) return encodeKey(name, value.S, position);
    throw new InvalidRequest('The provided key element does not match the schema');
  });
  if (Object.keys(key).length === names.length) return Buffer.concat(parts);
  throw new InvalidRequest('The provided key element does not match the schema');
}

/** Key attributes are scalars: throws `InvalidRequest` if an expression refers to a part of one of these attributes. */
export function refuseKeyParts(table: Table, divided: ReadonlySet<string>): void {
  const own = keyNames(table.keys);
  const name = [...own, ...table.indexes.flatMap(({ keys }) => keyNames(keys))].find((key) =>
    divided.has(key),
  );
  if (name === undefined) return;
  throw new InvalidRequest(
    `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ${own.includes(name) ? 'Key' : 'IndexKey'}: ${name}`,
  );
}

/** An item's position in an index, including its own key; undefined if it lacks a key attribute of the index. */
export function entryKey(table: Table, index: Index, item: Item): Buffer | undefined {
  const parts: Buffer[] = [];
  for (const name of [...keyNames(index.keys), ...keyNames(table.keys)]) {
    const value = attribute(item, name);
    if (!value || !('S' in value)) return undefined;
    parts.push(encode(value.S));
  }
  return Buffer.concat(parts);
}

/** The second at which an item expires, null for never; only numbers count (AWS, "How it works: DynamoDB TTL"). */
export function expiryOf(table: Table, item: Item): number | null {
  const value = table.timeToLive === undefined ? undefined : attribute(item, table.timeToLive);
  if (!value || !('N' in value)) return null;
  const seconds = Math.trunc(Number(value.N));
  return Number.isSafeInteger(seconds) ? seconds : null;
}

function checkIndexKeys(index: Index, item: Item): void {
  keyNames(index.keys).forEach((name, position) => {
    const value = attribute(item, name);
    if (!value) return;
    if (!('S' in value)) {
      throw invalidParameter(
        `Type mismatch for Index Key ${name} Expected: S Actual: ${typeOf(value)} IndexName: ${index.name}`,
      );
    }
    encodeKey(name, value.S, position);
  });
}

function encodeKey(name: string, value: string, position: number): Buffer {
  const octets = Buffer.byteLength(value);
  if (octets === 0) throw emptyKey(name);
  const limit = MAX_KEY[position] ?? 0;
  if (octets <= limit) return encode(value);
  throw invalidParameter(
    `Size of ${position === 0 ? 'hashkey' : 'rangekey'} has exceeded the maximum size limit of ${limit} bytes`,
  );
}
