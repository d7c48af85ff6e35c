import type { Cipher } from '../../../../shared/store/secrets.ts';
import type { SecretKey } from './key-file.ts';

/** Encryption with the key of this machine, without the endpoint, for commands beside the service. */
export const localCipher = (key: SecretKey): Cipher => ({
  encrypt: async (plaintext, context) => key.encrypt(plaintext, { ...context }),
  async decrypt(ciphertext, context) {
    const plaintext = key.decrypt(ciphertext, { ...context });
    if (plaintext === undefined) throw new Error('the secret was encrypted with another key, or is damaged');
    return plaintext;
  },
});
