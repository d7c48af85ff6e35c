/** The key that signs evidence on one machine, in a file that only its owner can read. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { DataFolderError } from '../files.ts';
import { readOrCreate } from './key-file.ts';

export interface SigningKey {
  /** An Ed25519 signature (RFC 8032 section 5.1). */
  sign(message: Uint8Array): Uint8Array;
  /** SubjectPublicKeyInfo (RFC 8410 section 4) in DER. */
  readonly publicKey: Uint8Array;
}

/** The file in the data folder: PKCS #8 in PEM. */
export const SIGNING_KEY_FILE = 'evidence.key';

/** Opens the key in this file, which is created if it does not exist. @throws DataFolderError if it is not an Ed25519 key. */
export function openSigningKey(path: string): SigningKey {
  const key = parse(readOrCreate(path, make));
  if (key?.asymmetricKeyType !== 'ed25519') throw new DataFolderError(`${path} is not an Ed25519 key`);
  return {
    sign: (message) => sign(null, message, key),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }),
  };
}

function make(): Uint8Array {
  const { privateKey } = generateKeyPairSync('ed25519');
  return Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

function parse(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
