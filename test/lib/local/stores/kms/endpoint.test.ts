/** Encrypt and Decrypt of KMS as the SDK of AWS uses them, with a key in a file. */

import { createPublicKey, verify } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DecryptCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { DataFolderError } from '../../../../../lib/local/stores/files.ts';
import { startKms } from '../../../../../lib/local/stores/kms/endpoint.ts';
import { KEY_FILE, openKeyFile } from '../../../../../lib/local/stores/kms/key-file.ts';
import { localCipher } from '../../../../../lib/local/stores/kms/local-cipher.ts';
import { SIGNING_KEY_FILE } from '../../../../../lib/local/stores/kms/signing-key.ts';
import type { LoopbackServer } from '../../../../../lib/local/stores/loopback-server.ts';
import { kmsCipher } from '../../../../../shared/store/kms-cipher.ts';
import { kmsSigner } from '../../../../../shared/store/kms-signer.ts';
import { anyone } from '../../../../kit/aws-client.ts';
import { useFolder } from '../../../../kit/use.ts';

let folder: string;
let server: LoopbackServer | undefined;
beforeEach(() => {
  folder = useFolder('kms');
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const keyFile = () => join(folder, KEY_FILE);
const signingKeyFile = () => join(folder, SIGNING_KEY_FILE);

async function start(): Promise<KMSClient> {
  await server?.stop();
  server = await startKms({ keyFile: keyFile(), signingKeyFile: signingKeyFile() });
  return new KMSClient(anyone(server.endpoint));
}

const context = { organization: 'org', purpose: 'webhook' } as const;
const text = Buffer.from('https://hooks.example/in/t0ken');

test('what the service encrypts, it decrypts again after a restart, and so do commands beside it', async () => {
  const sealed = await kmsCipher('key', await start()).encrypt(text, context);
  expect(Buffer.from(sealed).toString('latin1')).not.toContain('t0ken');
  const opened = await kmsCipher('key', await start()).decrypt(sealed, context);
  expect(Buffer.from(opened)).toEqual(text);
  const beside = localCipher(openKeyFile(keyFile()));
  expect(Buffer.from(await beside.decrypt(sealed, context))).toEqual(text);
  const byCommand = await beside.encrypt(text, context);
  expect(Buffer.from(await kmsCipher('key', await start()).decrypt(byCommand, context))).toEqual(text);
});

test('the key file is created once, for its owner only', async () => {
  await start();
  const key = readFileSync(keyFile());
  expect([key.length, statSync(keyFile()).mode & 0o777]).toEqual([32, 0o600]);
  await start();
  expect(readFileSync(keyFile())).toEqual(key);
  expect(readdirSync(folder)).toEqual([KEY_FILE]);
});

test('the key of signatures is made when it is first used, once, for its owner only', async () => {
  const signer = kmsSigner('key', await start());
  const content = Buffer.alloc(100_000, 'evidence');
  const [key, signature] = [await signer.key(), await signer.sign(content)];
  expect([statSync(signingKeyFile()).mode & 0o777, key.alg]).toEqual([0o600, 'EdDSA']);
  const again = kmsSigner('key', await start());
  expect(await again.key()).toEqual(key);
  const { alg, kid, use, ...jwk } = key;
  const publicKey = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  expect(verify(null, content, publicKey, signature)).toBe(true);
  expect([kid.length, use, alg]).toEqual([43, 'sig', 'EdDSA']);
});

test('a file that is no key of signatures stops them', async () => {
  writeFileSync(signingKeyFile(), 'not a key');
  await expect(kmsSigner('key', await start()).key()).rejects.toThrow();
});

test('the same text is encrypted differently each time', async () => {
  const cipher = kmsCipher('key', await start());
  const [a, b] = await Promise.all([cipher.encrypt(text, context), cipher.encrypt(text, context)]);
  expect(Buffer.from(a)).not.toEqual(Buffer.from(b));
});

test.each([
  ['another organization', { ...context, organization: 'other' }],
  ['another purpose', { ...context, purpose: 'mailbox' as 'webhook' }],
])('a ciphertext cannot be decrypted for %s', async (_title, other) => {
  const cipher = kmsCipher('key', await start());
  const sealed = await cipher.encrypt(text, context);
  await expect(cipher.decrypt(sealed, other)).rejects.toThrow(InvalidCiphertextException);
});

test('a ciphertext that was changed anywhere, shortened, or made with another key cannot be decrypted', async () => {
  const client = await start();
  const sealed = Buffer.from(await kmsCipher('key', client).encrypt(Buffer.from('short'), context));
  const changed = Array.from(sealed, (octet, at) => {
    const copy = Buffer.from(sealed);
    copy[at] = octet ^ 1;
    return copy;
  });
  for (const damaged of [...changed, sealed.subarray(0, 28), sealed.subarray(0, 1)]) {
    await expect(kmsCipher('key', client).decrypt(damaged, context)).rejects.toThrow(
      InvalidCiphertextException,
    );
  }
  rmSync(keyFile());
  const other = kmsCipher('key', await start());
  await expect(other.decrypt(sealed, context)).rejects.toThrow(InvalidCiphertextException);
});

test('the order of the context does not matter', async () => {
  const client = await start();
  const sealed = await kmsCipher('key', client).encrypt(text, context);
  const reversed = { purpose: 'webhook', organization: 'org' } as const;
  expect(Buffer.from(await kmsCipher('key', client).decrypt(sealed, reversed))).toEqual(text);
});

test('4,096 bytes are encrypted and no more, as by KMS', async () => {
  const cipher = kmsCipher('key', await start());
  const most = Buffer.alloc(4096, 1);
  expect(Buffer.from(await cipher.decrypt(await cipher.encrypt(most, context), context))).toEqual(most);
  await expect(cipher.encrypt(Buffer.alloc(4097), context)).rejects.toThrow(
    'does not support these parameters',
  );
});

test.each([
  ['an operation', new GenerateDataKeyCommand({ KeyId: 'key', KeySpec: 'AES_256' })],
  ['a request without a context', new EncryptCommand({ KeyId: 'key', Plaintext: text })],
  [
    'a parameter',
    new DecryptCommand({ CiphertextBlob: text, EncryptionContext: { ...context }, GrantTokens: ['t'] }),
  ],
])('%s that the service does not use is rejected', async (_title, command) => {
  const client = await start();
  await expect(client.send(command as EncryptCommand)).rejects.toThrow('does not support');
});

test('a file that is not a key is an error at the start', async () => {
  writeFileSync(keyFile(), 'not a key');
  await expect(start()).rejects.toThrow(DataFolderError);
});
