/** Shared SPF results: stored forever and readable by anyone who has the link. */

import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { expansion } from '../protocol/spf/expansion.ts';
import { pack, packed } from './item-schema.ts';
import { spfShareKey } from './keys.ts';
import type { Table } from './table.ts';

/** The expanded SPF record of a domain at one time (ISO 8601, UTC). */
const shareItem = z.pipe(
  z.object({ checkedAt: z.string(), result: packed(expansion) }),
  z.transform(({ checkedAt, result }) => ({ checkedAt, expansion: result })),
);

export type SpfCheck = Readonly<z.infer<typeof shareItem>>;

export type SpfShareStore = ReturnType<typeof spfShareStore>;

/** Bytes after compression; an item holds at most 400 KB (DynamoDB's limit), including keys and attribute names. */
const MAX_OCTETS = 390_000;

/** Digits and lower-case letters without i, l, o and u, which are easily misread; 24 of them hold 120 bits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 24;

/** The format of a share id. */
export const SHARE_ID = new RegExp(`^[${ALPHABET}]{${ID_LENGTH}}$`);

export function spfShareStore(table: Table) {
  return {
    /** Stores `check` under an unguessable id. Returns undefined if it is too large. */
    async save(check: SpfCheck): Promise<string | undefined> {
      const result = pack(check.expansion);
      if (result.length > MAX_OCTETS) return undefined;
      const shareId = newShareId();
      await table.create({ ...spfShareKey(shareId), checkedAt: check.checkedAt, result });
      return shareId;
    },

    async get(shareId: string): Promise<SpfCheck | undefined> {
      return table.get(spfShareKey(shareId), shareItem, { isConsistent: false });
    },
  };
}

function newShareId(): string {
  return Array.from(randomBytes(ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
