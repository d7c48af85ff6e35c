/**
 * Shared results: readable by anyone who has the link, until nobody opened it for 400 days, or until an operator removes
 * them.
 */

import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { changing } from './changes.ts';
import { type ItemSchema, parseItem } from './item-schema.ts';
import { ABSENT, PRESENT } from './items.ts';
import type { Key } from './keys.ts';
import type { Table } from './table.ts';

/** Bytes after compression; an item holds at most 400 KB (DynamoDB's limit), including keys and attribute names. */
const MAX_OCTETS = 390_000;

/** Bytes of an item besides its result: keys, names, and what DynamoDB adds to each item. */
const ITEM_OCTETS = 500;

/** Digits and lower-case letters without i, l, o and u, which are easily misread; 24 of them hold 120 bits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 24;

/** The format of a share id. */
export const SHARE_ID = new RegExp(`^[${ALPHABET}]{${ID_LENGTH}}$`);

const DAY_SECONDS = 86_400;

/** How long a share is kept after somebody opened it, at least. A year and a month: a yearly visit is enough. */
const UNVISITED_SECONDS = 400 * DAY_SECONDS;

/** A visit that prolongs the life of a share by less writes nothing, since writing costs as much as storing it anew. */
const RENEWAL_SECONDS = 30 * DAY_SECONDS;

/** Any share as it is stored. */
const stored = z.looseObject({
  pk: z.string(),
  sk: z.string(),
  expiresAt: z.number(),
});

interface ShareKind<Content> {
  readonly keyOf: (shareId: string) => Key;
  readonly schema: ItemSchema<Content>;
  /** The attributes from which the schema reads the content; `result` is compressed. */
  readonly write: (content: Content) => { readonly result: Buffer };
  /** What makes a result the same as another one, which then has the same link. */
  readonly identity: (content: Content) => readonly string[];
}

export function shareStore<Content>(table: Table, { keyOf, schema, write, identity }: ShareKind<Content>) {
  const find = (shareId: string, now: Date) =>
    table.get(keyOf(shareId), stored, { isConsistent: false, aliveAt: now });

  return {
    /**
     * Stores `content` under an id that derives from its identity, unless it is stored already. Returns undefined if it is
     * too large.
     * @param count Called with the number of bytes before they are stored; returns why they are too many, if they are.
     */
    async save<Refused extends object>(
      content: Content,
      now: Date,
      count: (octets: number) => Promise<Refused | undefined>,
    ): Promise<string | Refused | undefined> {
      const attributes = write(content);
      if (attributes.result.length > MAX_OCTETS) return undefined;
      const shareId = idOf(identity(content));
      if ((await find(shareId, now)) !== undefined) return shareId;
      const refused = await count(attributes.result.length + ITEM_OCTETS);
      if (refused !== undefined) return refused;
      await table.put({ ...keyOf(shareId), ...attributes, expiresAt: expiryAt(now) }, ABSENT);
      return shareId;
    },

    async get(shareId: string, now: Date): Promise<Content | undefined> {
      const item = await find(shareId, now);
      return item && parseItem(item, schema);
    },

    /** The same for somebody who opened the link, which prolongs the life of the share. */
    async visit(shareId: string, now: Date): Promise<Content | undefined> {
      const item = await find(shareId, now);
      if (item === undefined) return undefined;
      if (item.expiresAt < now.getTime() / 1000 + UNVISITED_SECONDS) {
        // An operator may have removed it in the meantime.
        await table.update(keyOf(shareId), changing({ expiresAt: expiryAt(now) }, PRESENT));
      }
      return parseItem(item, schema);
    },

    /** Returns false if there is no such share. */
    async remove(shareId: string): Promise<boolean> {
      return table.delete(keyOf(shareId), PRESENT);
    },
  };
}

const expiryAt = (visit: Date): number =>
  Math.ceil(visit.getTime() / 1000) + UNVISITED_SECONDS + RENEWAL_SECONDS;

/** 256 is a multiple of the number of characters, so each of them is equally likely. */
function idOf(identity: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(identity)).digest();
  return Array.from(hash.subarray(0, ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
