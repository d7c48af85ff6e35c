/** Encryption with a key in AWS KMS. The SDK's environment variables determine its endpoint. */
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { awsAccess } from './aws-access.ts';
import type { Cipher } from './secrets.ts';

/** Makes no request. `KeyId` is the ARN of the key. */
export function kmsCipher(KeyId: string, client: KMSClient = new KMSClient(awsAccess())): Cipher {
  return {
    async encrypt(Plaintext, context) {
      const EncryptionContext = { ...context };
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({ KeyId, Plaintext, EncryptionContext }),
      );
      if (CiphertextBlob === undefined) throw new Error('KMS returned no ciphertext');
      return CiphertextBlob;
    },

    async decrypt(CiphertextBlob, context) {
      const EncryptionContext = { ...context };
      const { Plaintext } = await client.send(
        new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext }),
      );
      if (Plaintext === undefined) throw new Error('KMS returned no plaintext');
      return Plaintext;
    },
  };
}
