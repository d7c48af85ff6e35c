import { cipherOnDemand } from '../../store/secrets.ts';
import { config } from '../config/config.ts';

/** Encrypts and decrypts secrets with the key of the service. */
export const cipher = cipherOnDemand(async () => {
  const { kmsCipher } = await import('../../store/kms-cipher.ts');
  return kmsCipher(config().SECRETS_KEY);
});
