/** KMS as it is on AWS: an ECDSA key, which gets digests and returns signatures in DER. */
import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KMSClient } from '@aws-sdk/client-kms';
import { afterAll, expect, test } from '@jest/globals';
import { flattenedVerify, importJWK } from 'jose';
import { kmsSigner } from '../../../shared/store/kms-signer.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** What the service signs, by its digest: Node signs messages only. */
const contents = new Map<string, Uint8Array>();
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { Message, MessageType, SigningAlgorithm } = JSON.parse(Buffer.concat(chunks).toString());
  const content = contents.get(String(Message));
  const answer =
    request.headers['x-amz-target'] === 'TrentService.GetPublicKey'
      ? { PublicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') }
      : content !== undefined && MessageType === 'DIGEST' && SigningAlgorithm === 'ECDSA_SHA_256'
        ? { Signature: sign('sha256', content, privateKey).toString('base64') }
        : undefined;
  response.writeHead(answer === undefined ? 400 : 200).end(JSON.stringify(answer ?? {}));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
const client = new KMSClient({ endpoint: `http://127.0.0.1:${port}`, region: 'eu-west-1', credentials });
afterAll(() => {
  client.destroy();
  server.close();
});

test('signatures are those of JWS, whatever the length of their integers', async () => {
  const signer = kmsSigner('key', client);
  const key = await signer.key();
  expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
  expect(createPublicKey({ key: { ...key }, format: 'jwk' }).equals(publicKey)).toBe(true);
  const header = Buffer.from(JSON.stringify({ alg: 'ES256' })).toString('base64url');
  for (let seed = 0; seed < 300; seed += 1) {
    const payload = Buffer.from(`evidence ${seed}`).toString('base64url');
    const content = Buffer.from(`${header}.${payload}`);
    contents.set(createHash('sha256').update(content).digest('base64'), content);
    const signature = await signer.sign(content);
    expect(signature).toHaveLength(64);
    expect(signature[32]).toBeLessThan(0x80);
    const jws = { protected: header, payload, signature: Buffer.from(signature).toString('base64url') };
    await flattenedVerify(jws, await importJWK({ ...key }, 'ES256'));
  }
});
