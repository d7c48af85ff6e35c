/**
 * Secrets of an organization, such as the URL of a webhook. They are encrypted with a key that few functions can use, in a
 * partition that few functions can reach.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { once } from '../network/once.ts';
import { type ItemSchema, octets } from './item-schema.ts';
import { type SecretPurpose, secretKey } from './keys.ts';
import type { Table, Write } from './table.ts';

/** What a ciphertext is for: one of another organization or purpose cannot be decrypted in its place. */
interface SecretContext {
  readonly organization: string;
  readonly purpose: SecretPurpose;
}

/** Encrypts and decrypts up to 4,096 bytes. */
export interface Cipher {
  encrypt(plaintext: Uint8Array, context: SecretContext): Promise<Uint8Array>;
  /** Rejects if the ciphertext is damaged, or was made with another key or context. */
  decrypt(ciphertext: Uint8Array, context: SecretContext): Promise<Uint8Array>;
}

/** A cipher that is loaded when the first secret is encrypted or decrypted, which few requests need. */
export function cipherOnDemand(load: () => Promise<Cipher>): Cipher {
  const cipher = once(load);
  return {
    encrypt: async (plaintext, context) => (await cipher()).encrypt(plaintext, context),
    decrypt: async (ciphertext, context) => (await cipher()).decrypt(ciphertext, context),
  };
}

const secretItem = z.object({
  /** New with every value, so that what refers to a value never gets another one. */
  id: z.string(),
  sealed: octets,
});

export function secretStore(table: Table, cipher: Cipher) {
  return {
    /** Encrypts a value that can be written as JSON. The write stores it in place of the one before. */
    async seal(
      context: SecretContext,
      value: unknown,
    ): Promise<{ readonly id: string; readonly write: Write }> {
      const id = randomUUID();
      const sealed = await cipher.encrypt(Buffer.from(JSON.stringify(value)), context);
      return { id, write: { Put: { Item: { ...secretKey(context), id, sealed } } } };
    },

    /** The value with this id; undefined if there is none or another one. */
    async open<Value>(
      context: SecretContext,
      id: string,
      schema: ItemSchema<Value>,
    ): Promise<Value | undefined> {
      const item = await table.get(secretKey(context), secretItem);
      if (item?.id !== id) return undefined;
      const plaintext = await cipher.decrypt(item.sealed, context);
      return schema.parse(JSON.parse(Buffer.from(plaintext).toString('utf8')));
    },

    removal: secretRemoval,
  };
}

/** The write that removes the value, if there is one. */
export const secretRemoval = (context: SecretContext): Write => ({ Delete: { Key: secretKey(context) } });
