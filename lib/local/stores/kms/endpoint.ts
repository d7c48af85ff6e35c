/**
 * Encrypt and Decrypt of AWS KMS on loopback, with the key of the data folder, and Sign and GetPublicKey with that of evidence (AWS,
 * "AWS Key Management Service API Reference"). There is one key for each purpose, so every key ID means this one.
 */
import * as z from 'zod/mini';
import { jsonIn } from '../json-body.ts';
import {
  type LoopbackAccess,
  type LoopbackAnswer,
  type LoopbackServer,
  serveLoopback,
} from '../loopback-server.ts';
import { openKeyFile } from './key-file.ts';
import { openSigningKey, type SigningKey } from './signing-key.ts';

interface KmsOptions extends LoopbackAccess {
  /** The file of the key, created if it does not exist. */
  readonly keyFile: string;
  /** The file of the key of signatures, created when it is first used. */
  readonly signingKeyFile: string;
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
const signRequest = z.strictObject({
  KeyId: z.string(),
  Message: octets(MAX_MESSAGE),
  MessageType: z.literal('RAW'),
  SigningAlgorithm: z.literal('ED25519_SHA_512'),
});
const common = { KeyId: z.string(), EncryptionContext: z.record(z.string(), z.string()) };

type Operation = (input: unknown) => LoopbackAnswer;

/** Unknown parameters are rejected, so that the endpoint never ignores one that KMS would act on. */
const operation =
  <Schema extends z.ZodMiniType>(
    schema: Schema,
    run: (request: z.output<Schema>) => LoopbackAnswer,
  ): Operation =>
  (input) => {
    const { success, data } = z.safeParse(schema, input);
    return success
      ? run(data)
      : refusal('ValidationException', 'The local endpoint does not support these parameters');
  };

/** For `AWS_ENDPOINT_URL_KMS`. @throws DataFolderError if the file is not a key. */
export async function startKms({ keyFile, signingKeyFile, ...access }: KmsOptions): Promise<LoopbackServer> {
  const key = openKeyFile(keyFile);
  let signing: SigningKey | undefined;
  const signingKey = () => {
    signing ??= openSigningKey(signingKeyFile);
    return signing;
  };
  const operations: Readonly<Record<string, Operation>> = {
    Encrypt: operation(z.strictObject({ ...common, Plaintext: octets(MAX_PLAINTEXT) }), (request) => {
      const { Plaintext, EncryptionContext } = request;
      return result(request, { CiphertextBlob: key.encrypt(decoded(Plaintext), EncryptionContext) });
    }),
    Decrypt: operation(z.strictObject({ ...common, CiphertextBlob: octets(MAX_CIPHERTEXT) }), (request) => {
      const Plaintext = key.decrypt(decoded(request.CiphertextBlob), request.EncryptionContext);
      if (Plaintext !== undefined) return result(request, { Plaintext });
      return refusal('InvalidCiphertextException', 'Another key or context, or a damaged ciphertext');
    }),
    GetPublicKey: operation(z.strictObject({ KeyId: z.string() }), ({ KeyId }) => {
      const PublicKey = Buffer.from(signingKey().publicKey).toString('base64');
      return json(200, {
        ...{ KeyId, PublicKey, KeyUsage: 'SIGN_VERIFY', KeySpec: 'ECC_NIST_EDWARDS25519' },
        SigningAlgorithms: ['ED25519_SHA_512'],
      });
    }),
    Sign: operation(signRequest, ({ KeyId, Message, SigningAlgorithm }) => {
      const Signature = Buffer.from(signingKey().sign(decoded(Message))).toString('base64');
      return json(200, { KeyId, Signature, SigningAlgorithm });
    }),
  };
  return serveLoopback({
    ...access,
    maxBody: MAX_BODY,
    answer({ headers, body }) {
      const name = String(headers['x-amz-target']).slice(KMS_TARGET.length);
      const run = Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (run !== undefined) return run(jsonIn(body));
      return refusal('UnknownOperationException', `The local endpoint does not support ${name}`);
    },
  });
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
