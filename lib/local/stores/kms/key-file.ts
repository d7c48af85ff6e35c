/** The key that encrypts secrets on one machine, in a file that only its owner can read. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DataFolderError } from '../files.ts';

/** What a ciphertext is for; decryption needs the same (AWS, "Encryption context"). */
export type EncryptionContext = Readonly<Record<string, string>>;

export interface SecretKey {
  encrypt(plaintext: Uint8Array, context: EncryptionContext): Uint8Array;
  /** Undefined if the ciphertext was made with another key or context, or was changed. */
  decrypt(ciphertext: Uint8Array, context: EncryptionContext): Uint8Array | undefined;
}

/** The file in the data folder. Without it, nobody can read the secrets in the table. */
export const KEY_FILE = 'secrets.key';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D section 8.2.2: random, for at most 2^32 encryptions with a key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The format of ciphertexts: this byte, the nonce, the tag, and the encrypted text. */
const FORMAT = 1;

/** Opens the key in this file, which is created if it does not exist. @throws DataFolderError if it is not a key. */
export function openKeyFile(path: string): SecretKey {
  const key = readOrCreate(path, () => randomBytes(KEY_BYTES));
  if (key.length !== KEY_BYTES) throw new DataFolderError(`${path} is not a key of ${KEY_BYTES} bytes`);
  return secretKey(key);
}

/** A key of 32 bytes. */
export function secretKey(key: Uint8Array): SecretKey {
  return {
    encrypt(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(
        bytesOf(context),
      );
      const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), encrypted]);
    },

    decrypt(ciphertext, context) {
      const [nonceEnd, tagEnd] = [1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES];
      if (ciphertext[0] !== FORMAT || ciphertext.length < tagEnd) return undefined;
      const nonce = ciphertext.subarray(1, nonceEnd);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(bytesOf(context))
        .setAuthTag(ciphertext.subarray(nonceEnd, tagEnd));
      try {
        return Buffer.concat([decipher.update(ciphertext.subarray(tagEnd)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/** The order of the entries does not matter. */
const bytesOf = (context: EncryptionContext): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1))));

/** Service and commands can start at the same time: the first one that links its file creates the key. */
export function readOrCreate(path: string, make: () => Uint8Array): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const part = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openSync(part, 'wx', 0o600);
  try {
    writeFileSync(file, make());
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(part, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part);
  }
  return readFileSync(path);
}
