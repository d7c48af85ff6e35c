/**
 * Parsing of items when they are read. Each store has one schema of its items, from which their type derives. A schema
 * names what its readers need, and ignores other attributes. All items have the layout that `shared/store/migrations` names.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';

/** The attributes of an item. */
export type Item = Readonly<Record<string, unknown>>;

export type ItemSchema<Value> = z.ZodMiniType<Value>;

/** An item that does not match its schema. The message contains its key, and no values, because some are secret. */
export class CorruptItem extends Error {
  override readonly name = 'CorruptItem';

  constructor({ pk, sk }: Item, mismatches: readonly string[]) {
    super(`the item ${pk}, ${sk} does not match its schema at ${mismatches.join(', ')}`);
  }
}

/** @throws CorruptItem */
export function parseItem<Value>(item: Item, schema: ItemSchema<Value>): Value {
  const { success, data, error } = z.safeParse(schema, item);
  if (success) return data;
  throw new CorruptItem(item, [...new Set(error.issues.map(({ path }) => path.join('.')))]);
}

/** An attribute that can be null, which it also is if the item lacks it. */
export const orNull = <Schema extends z.ZodMiniType>(schema: Schema) => z.prefault(z.nullable(schema), null);

/** A counter: 0 if the item lacks it. */
export const counter = z._default(z.number(), 0);

export const octets = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** The kinds that this release knows, by the field that names them. */
type Kinds = Readonly<Record<string, readonly string[]>>;

/** Whether a stored value is of a kind that only another release knows. */
export function isOfOtherKind(value: unknown, kinds: Kinds): boolean {
  const fields: Item = typeof value === 'object' && value !== null ? { ...value } : {};
  return Object.entries(kinds).some(([field, names]) => {
    const name = fields[field];
    return typeof name === 'string' && !names.includes(name);
  });
}

/** Items of which some are of a kind that only another release knows: those are undefined, and queries leave them out. */
export const unlessOther = <Value>(
  isOther: (item: Item) => boolean,
  schema: ItemSchema<Value>,
): ItemSchema<Value | undefined> =>
  z.pipe(
    z.transform((item: Item): unknown => (isOther(item) ? undefined : item)),
    z.optional(schema),
  );

/** A list without the elements of a kind that only another release knows. */
export const listOfKnown = <Value>(
  kinds: Kinds,
  element: z.ZodMiniType<Value>,
): z.ZodMiniType<readonly Value[]> =>
  z.pipe(
    z.pipe(
      z.array(z.unknown()),
      z.transform((all): unknown => all.filter((one) => !isOfOtherKind(one, kinds))),
    ),
    z.readonly(z.array(element)),
  );

/** Compressed JSON, as `pack` writes it. */
export const packed = <Value>(content: ItemSchema<Value>, expand: Expand = gunzipSync) =>
  z.pipe(z.pipe(octets, z.transform(unpackBy(expand))), content);

type Expand = (content: Uint8Array) => Buffer;

/** Compresses a value: results are repetitive, and an item holds at most 400 KB (DynamoDB's limit). */
export const pack = (value: unknown): Buffer => gzipSync(JSON.stringify(value));

const unpackBy =
  (expand: Expand) =>
  (content: Uint8Array, context: z.core.ParsePayload): unknown => {
    try {
      return JSON.parse(expand(content).toString('utf8'));
    } catch {
      context.issues.push({ code: 'custom', message: 'is not compressed JSON', input: content });
      return z.NEVER;
    }
  };
