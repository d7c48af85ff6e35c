/** Shared SPF results: stored forever and readable by anyone who has the link. */
import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { type Expansion, expansion } from '../protocol/spf/expand.ts';
import { spfShareKey } from './keys.ts';
import type { Table } from './table.ts';

/** The expanded SPF record of a domain at one time. */
export interface SpfCheck {
  /** ISO 8601, UTC. */
  readonly checkedAt: string;
  readonly expansion: Expansion;
}

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
      const result = gzipSync(JSON.stringify(check.expansion));
      if (result.length > MAX_OCTETS) return undefined;
      const shareId = newShareId();
      await table.create({ ...spfShareKey(shareId), checkedAt: check.checkedAt, result });
      return shareId;
    },

    async get(shareId: string): Promise<SpfCheck | undefined> {
      const item = await table.get(spfShareKey(shareId), { isConsistent: false });
      if (item === undefined) return undefined;
      return {
        checkedAt: item.checkedAt,
        expansion: z.parse(expansion, JSON.parse(gunzipSync(item.result).toString('utf8'))),
      };
    },
  };
}

function newShareId(): string {
  return Array.from(randomBytes(ID_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
