/** Secrets under a key of KMS: what is asked, and an answer without what was asked for. */
import type { KMSClient } from '@aws-sdk/client-kms';
import { expect, test } from '@jest/globals';
import { kmsCipher } from '../../../shared/store/kms-cipher.ts';

const context = { organization: 'o', purpose: 'webhook' } as const;
const octets = new Uint8Array([1, 2]);

/** Answers with the same octets, and keeps what was asked. */
function answering(answer: object) {
  const asked: unknown[] = [];
  const send = async ({ input }: { readonly input: unknown }) => {
    asked.push(input);
    return answer;
  };
  return { asked, cipher: kmsCipher('key', { send } as unknown as KMSClient) };
}

test('a secret is encrypted and decrypted under the key, and only in its context', async () => {
  const { asked, cipher } = answering({ CiphertextBlob: octets, Plaintext: octets });
  expect(await cipher.encrypt(octets, context)).toBe(octets);
  expect(await cipher.decrypt(octets, context)).toBe(octets);
  const common = { KeyId: 'key', EncryptionContext: context };
  expect(asked).toEqual([
    { ...common, Plaintext: octets },
    { ...common, CiphertextBlob: octets },
  ]);
});

test('an answer without the secret is an error', async () => {
  const { cipher } = answering({});
  await expect(cipher.encrypt(octets, context)).rejects.toThrow('KMS returned no ciphertext');
  await expect(cipher.decrypt(octets, context)).rejects.toThrow('KMS returned no plaintext');
});
