import { randomBytes } from 'node:crypto';
import { secretKey } from '../../lib/local/stores/kms/key-file.ts';
import { localCipher } from '../../lib/local/stores/kms/local-cipher.ts';

/** Encrypts secrets with a key that only this process has. */
export const testCipher = localCipher(secretKey(randomBytes(32)));
