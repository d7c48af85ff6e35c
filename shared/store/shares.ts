/** Shared results: stored forever, or until an operator removes them, and readable by anyone who has the link. */
import { randomBytes } from 'node:crypto';
import type { ItemSchema } from './item-schema.ts';
import { PRESENT } from './items.ts';
import type { Key } from './keys.ts';
import type { Table } from './table.ts';

/** Bytes after compression; an item holds at most 400 KB (DynamoDB's limit), including keys and attribute names. */
const MAX_OCTETS = 390_000;

/** Digits and lower-case letters without i, l, o and u, which are easily misread; 24 of them hold 120 bits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 24;

/** The format of a share id. */
export const SHARE_ID = new RegExp(`^[${ALPHABET}]{${ID_LENGTH}}$`);

interface ShareKind<Content> {
  readonly keyOf: (shareId: string) => Key;
  readonly schema: ItemSchema<Content>;
  /** The attributes from which the schema reads the content; `result` is compressed. */
  readonly write: (content: Content) => { readonly result: Buffer };
}

export function shareStore<Content>(table: Table, { keyOf, schema, write }: ShareKind<Content>) {
  return {
    /** Stores `content` under an unguessable id. Returns undefined if it is too large. */
    async save(content: Content): Promise<string | undefined> {
      const attributes = write(content);
      if (attributes.result.length > MAX_OCTETS) return undefined;
      const shareId = newShareId();
      await table.create({ ...keyOf(shareId), ...attributes });
      return shareId;
    },

    async get(shareId: string): Promise<Content | undefined> {
      return table.get(keyOf(shareId), schema, { isConsistent: false });
    },

    /** Returns false if there is no such share. */
    async remove(shareId: string): Promise<boolean> {
      return table.delete(keyOf(shareId), PRESENT);
    },
  };
}

function newShareId(): string {
  return Array.from(randomBytes(ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
