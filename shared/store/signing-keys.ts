/** The public keys that ever signed evidence, so that it can be verified after a key was replaced, and on another host. */
import * as z from 'zod/mini';
import { type PublicJwk, publicJwk } from '../evidence/signature.ts';
import { ABSENT } from './items.ts';
import { signingKeyKey, signingKeys } from './keys.ts';
import { startingWith } from './query.ts';
import type { Table } from './table.ts';

const keyItem = z.object({ jwk: publicJwk });

export type SigningKeyStore = ReturnType<typeof signingKeyStore>;

export function signingKeyStore(table: Table) {
  return {
    /** Keeps a key for good. */
    async add(jwk: PublicJwk): Promise<void> {
      await table.put({ ...signingKeyKey(jwk.kid), jwk }, ABSENT);
    },

    async list(): Promise<readonly PublicJwk[]> {
      const found = await table.query(startingWith(signingKeys()), keyItem);
      return found.map(({ jwk }) => jwk);
    },
  };
}
