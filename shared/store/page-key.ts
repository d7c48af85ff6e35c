/** The key that signs positions in lists, so that nobody makes one up. The first function that needs it makes it, for all. */

import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { changing } from './changes.ts';
import { ABSENT, type ItemStore } from './items.ts';
import { pageKeyKey } from './keys.ts';

const OCTETS = 32;

const keyItem = z.object({ secret: z.string() });

/** The key of the table; 256 random bits. */
export async function pageKey(table: Pick<ItemStore, 'get' | 'update'>): Promise<Buffer> {
  const read = () => table.get(pageKeyKey(), keyItem);
  let found = await read();
  if (found === undefined) {
    // Of several functions at the same time, one makes it.
    await table.update(pageKeyKey(), changing({ secret: randomBytes(OCTETS).toString('base64url') }, ABSENT));
    found = await read();
  }
  if (found === undefined) throw new Error('the key that signs positions in lists was deleted meanwhile');
  return Buffer.from(found.secret, 'base64url');
}
