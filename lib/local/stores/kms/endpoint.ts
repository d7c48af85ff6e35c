/**
 * Encrypt and Decrypt of AWS KMS on loopback, with the key of the data folder, and Sign and GetPublicKey with that of evidence (AWS,
 * "AWS Key Management Service API Reference"). There is one key for each purpose, so every key ID means this one.
 */
import * as z from 'zod/mini';
import { type IamAuthorizer, openToAll } from '../guard.ts';
import { jsonIn } from '../json-body.ts';
import {
  type LoopbackAnswer,
  type LoopbackRequest,
  type LoopbackServer,
  serveLoopback,
} from '../loopback-server.ts';
import { openKeyFile, type SecretKey } from './key-file.ts';
import { openSigningKey, type SigningKey } from './signing-key.ts';

interface KmsOptions {
  /** The file of the key, created if it does not exist. */
  readonly keyFile: string;
  /** The file of the key of signatures, created when it is first used. */
  readonly signingKeyFile: string;
  /** By default, every request is allowed. */
  readonly guard?: IamAuthorizer;
  /** Required of every request: see `LoopbackOptions`. */
  readonly sessionToken?: string;
}

/** The prefix of the header `X-Amz-Target`. */
export const KMS_TARGET = 'TrentService.';

/** AWS, "Encrypt": the bytes of a plaintext, and those of a ciphertext. */
const MAX_PLAINTEXT = 4096;
const MAX_CIPHERTEXT = 6144;
/** The content of a signature; KMS takes at most 4,096 bytes for Ed25519, but evidence is larger. */
const MAX_MESSAGE = 6_000_000;
const MAX_BODY = 2 * MAX_MESSAGE;

const octets = (most: number) =>
  z
    .base64()
    .check(
      z.refine((text) => text !== '' && Buffer.byteLength(text, 'base64') <= most, 'has another length'),
    );
const common = { KeyId: z.string(), EncryptionContext: z.record(z.string(), z.string()) };

/** Unknown parameters are rejected, so that the endpoint never ignores one that KMS would act on. */
const requests = {
  Encrypt: z.strictObject({ ...common, Plaintext: octets(MAX_PLAINTEXT) }),
  Decrypt: z.strictObject({ ...common, CiphertextBlob: octets(MAX_CIPHERTEXT) }),
  GetPublicKey: z.strictObject({ KeyId: z.string() }),
  Sign: z.strictObject({
    KeyId: z.string(),
    Message: octets(MAX_MESSAGE),
    MessageType: z.literal('RAW'),
    SigningAlgorithm: z.literal('ED25519_SHA_512'),
  }),
};

/** For `AWS_ENDPOINT_URL_KMS`. @throws DataFolderError if the file is not a key. */
export async function startKms({
  keyFile,
  signingKeyFile,
  guard = openToAll,
  sessionToken,
}: KmsOptions): Promise<LoopbackServer> {
  const key = openKeyFile(keyFile);
  let signing: SigningKey | undefined;
  const signingKey = () => {
    signing ??= openSigningKey(signingKeyFile);
    return signing;
  };
  return serveLoopback({
    port: 0,
    maxBody: MAX_BODY,
    sessionToken,
    answer: (request) => guard(request, (allowed) => answer(key, signingKey, allowed)),
  });
}

function answer(
  key: SecretKey,
  signingKey: () => SigningKey,
  { headers, body }: LoopbackRequest,
): LoopbackAnswer {
  const operation = String(headers['x-amz-target']).slice(KMS_TARGET.length);
  switch (operation) {
    case 'Encrypt': {
      const { success, data } = requests.Encrypt.safeParse(jsonIn(body));
      if (!success) return unsupported;
      return result(data, { CiphertextBlob: key.encrypt(decoded(data.Plaintext), data.EncryptionContext) });
    }
    case 'Decrypt': {
      const { success, data } = requests.Decrypt.safeParse(jsonIn(body));
      if (!success) return unsupported;
      const Plaintext = key.decrypt(decoded(data.CiphertextBlob), data.EncryptionContext);
      if (Plaintext !== undefined) return result(data, { Plaintext });
      return refusal('InvalidCiphertextException', 'Another key or context, or a damaged ciphertext');
    }
    case 'GetPublicKey': {
      const { success, data } = requests.GetPublicKey.safeParse(jsonIn(body));
      if (!success) return unsupported;
      const PublicKey = Buffer.from(signingKey().publicKey).toString('base64');
      return json(200, {
        ...{ KeyId: data.KeyId, PublicKey, KeyUsage: 'SIGN_VERIFY', KeySpec: 'ECC_NIST_EDWARDS25519' },
        SigningAlgorithms: ['ED25519_SHA_512'],
      });
    }
    case 'Sign': {
      const { success, data } = requests.Sign.safeParse(jsonIn(body));
      if (!success) return unsupported;
      const { KeyId, SigningAlgorithm } = data;
      const Signature = Buffer.from(signingKey().sign(decoded(data.Message))).toString('base64');
      return json(200, { KeyId, Signature, SigningAlgorithm });
    }
    default:
      return refusal('UnknownOperationException', `The local endpoint does not support ${operation}`);
  }
}

const decoded = (text: string): Buffer => Buffer.from(text, 'base64');

const result = ({ KeyId }: { readonly KeyId: string }, contents: Readonly<Record<string, Uint8Array>>) => {
  const encoded = Object.entries(contents).map(([name, content]) => [
    name,
    Buffer.from(content).toString('base64'),
  ]);
  return json(200, { ...Object.fromEntries(encoded), KeyId, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' });
};

const refusal = (type: string, message: string): LoopbackAnswer => json(400, { __type: type, message });

const json = (status: number, said: object): LoopbackAnswer => ({
  status,
  headers: { 'Content-Type': 'application/x-amz-json-1.1' },
  body: JSON.stringify(said),
});

const unsupported = refusal('ValidationException', 'The local endpoint does not support these parameters');
