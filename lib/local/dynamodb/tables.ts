/** Tables: their definition, the keys and index entries that follow from it, and when items expire. */
import { type AttributeValue, attribute, type Item, typeOf } from './attribute-value.ts';
import { emptyKey, InvalidRequest, invalidParameter } from './errors.ts';
import { encode } from './order.ts';

export type KeyType = 'S' | 'N' | 'B';

export interface KeyAttribute {
  readonly name: string;
  readonly type: KeyType;
}

/** Partition key, and sort key if there is one. */
export type Keys = readonly [KeyAttribute, KeyAttribute?];

export interface Projection {
  readonly ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly NonKeyAttributes?: readonly string[] | undefined;
}

export interface Index {
  readonly name: string;
  readonly keys: Keys;
  readonly projection: Projection;
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
  const parts = table.keys.map((key, position) => {
    if (!key) return Buffer.alloc(0);
    const value = attribute(item, key.name);
    if (!value) throw invalidParameter(`Missing the key ${key.name} in the item`);
    if (!(key.type in value)) {
      throw invalidParameter(
        `Type mismatch for key ${key.name} expected: ${key.type} actual: ${typeOf(value)}`,
      );
    }
    return encodeKey(key.name, value, position);
  });
  for (const index of table.indexes) checkIndexKeys(index, item);
  return Buffer.concat(parts);
}

/** The encoded key in a request. Throws `InvalidRequest` unless it has exactly the key attributes. */
export function keyOf(keys: Keys, key: Item): Buffer {
  const names = keyNames(keys);
  const parts = keys.map((part, position) => {
    const value = part && attribute(key, part.name);
    if (!part) return Buffer.alloc(0);
    if (!value || !(part.type in value)) {
      throw new InvalidRequest('The provided key element does not match the schema');
    }
    return encodeKey(part.name, value, position);
  });
  if (Object.keys(key).length !== names.length) {
    throw new InvalidRequest('The provided key element does not match the schema');
  }
  return Buffer.concat(parts);
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
    if (!value) return undefined;
    parts.push(encode(value));
  }
  return Buffer.concat(parts);
}

/** The part of an item that an index holds. */
export function projected(table: Table, index: Index, item: Item): Item {
  const names = projectedNames(table, index);
  return names ? Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name))) : item;
}

/** The attributes that an index holds; undefined for all. */
export function projectedNames(table: Table, index: Index): ReadonlySet<string> | undefined {
  const { ProjectionType, NonKeyAttributes = [] } = index.projection;
  if (ProjectionType === 'ALL') return undefined;
  return new Set([...keyNames(table.keys), ...keyNames(index.keys), ...NonKeyAttributes]);
}

/** The second at which an item expires, null for never; only numbers count (AWS, "How it works: DynamoDB TTL"). */
export function expiryOf(table: Table, item: Item): number | null {
  const value = table.timeToLive === undefined ? undefined : attribute(item, table.timeToLive);
  if (!value || !('N' in value)) return null;
  const seconds = Math.trunc(Number(value.N));
  return Number.isSafeInteger(seconds) ? seconds : null;
}

function checkIndexKeys(index: Index, item: Item): void {
  index.keys.forEach((key, position) => {
    const value = key && attribute(item, key.name);
    if (!key || !value) return;
    if (!(key.type in value)) {
      throw invalidParameter(
        `Type mismatch for Index Key ${key.name} Expected: ${key.type} Actual: ${typeOf(value)} IndexName: ${index.name}`,
      );
    }
    encodeKey(key.name, value, position);
  });
}

function encodeKey(name: string, value: AttributeValue, position: number): Buffer {
  const octets =
    'S' in value ? Buffer.byteLength(value.S) : 'B' in value ? Buffer.byteLength(value.B, 'base64') : 1;
  if (octets === 0) throw emptyKey(name, 'S' in value ? 'string' : 'binary');
  const limit = MAX_KEY[position] ?? 0;
  if (octets > limit) {
    throw invalidParameter(
      `Size of ${position === 0 ? 'hashkey' : 'rangekey'} has exceeded the maximum size limit of ${limit} bytes`,
    );
  }
  return encode(value);
}
