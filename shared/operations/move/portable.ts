/**
 * Items as text that does not depend on the host: DynamoDB's JSON (AWS, "Low-level API") with sorted names, so that equal
 * items are equal texts. Secrets are in the clear, because each host encrypts them with a key of its own. Who operates a host is
 * decided there: no item brings that right.
 */
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { type Item, octets, parseItem } from '../../store/item-schema.ts';
import { type Key, partitions, secretOf } from '../../store/keys.ts';
import type { Cipher } from '../../store/secrets.ts';

/** The schema of an item of any kind. */
export const anyItem = z.record(z.string(), z.unknown());

const keyed = z.object({ pk: z.string(), sk: z.string() });
const sealedItem = z.object({ sealed: octets });

export const keyOf = (item: Item): Key => parseItem(item, keyed);

/** Decrypts an item that is a secret. */
export async function toPortable(stored: Item, cipher: Cipher): Promise<string> {
  const item = withoutOperator(stored);
  const context = secretOf(keyOf(item));
  if (context === undefined) return textOf(item);
  const { sealed } = parseItem(item, sealedItem);
  return textOf({ ...item, sealed: await cipher.decrypt(sealed, context) });
}

/** Encrypts an item that is a secret. */
export async function fromPortable(text: string, cipher: Cipher): Promise<Item> {
  const item = withoutOperator(itemOf(text));
  const context = secretOf(keyOf(item));
  if (context === undefined) return item;
  const { sealed } = parseItem(item, sealedItem);
  return { ...item, sealed: await cipher.encrypt(sealed, context) };
}

function withoutOperator(item: Item): Item {
  if (!keyOf(item).pk.startsWith(partitions.people)) return item;
  const { operator: _, ...others } = item;
  return others;
}

const textOf = (item: Item): string => JSON.stringify(plain(marshall(item, { removeUndefinedValues: true })));

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, plain(one)]));
}

/** An item as `toPortable` wrote it, still with its secret in the clear. */
export const itemOf = (text: string): Item => unmarshall(JSON.parse(text, binary));

/** `B` with a text is a binary value: an attribute of that name has an object. */
const binary = (name: string, value: unknown): unknown =>
  name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
