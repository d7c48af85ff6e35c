/** Signatures with a key in AWS KMS. The SDK's environment variables determine its endpoint. */
import { createHash, createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import * as z from 'zod/mini';
import { type PublicJwk, publicJwk, type Signer, withLowS } from '../evidence/signature.ts';
import { once } from '../network/once.ts';
import { awsAccess } from './aws-access.ts';

/** The algorithms of KMS for those of JWS. KMS signs no more than 4,096 bytes, so that ECDSA gets the digest. */
const signing = {
  EdDSA: { SigningAlgorithm: 'ED25519_SHA_512', MessageType: 'RAW' },
  ES256: { SigningAlgorithm: 'ECDSA_SHA_256', MessageType: 'DIGEST' },
} as const satisfies Record<PublicJwk['alg'], object>;

/** Octets of a coordinate of P-256. */
const COORDINATE = 32;

/** Makes no request yet. `KeyId` is the ARN of the key. */
export function kmsSigner(KeyId: string, client: KMSClient = new KMSClient(awsAccess())): Signer {
  const key = once(async () => {
    const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId }));
    if (PublicKey === undefined) throw new Error('KMS returned no public key');
    const jwk = await exportJWK(
      createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' }),
    );
    const alg = jwk.kty === 'OKP' ? 'EdDSA' : 'ES256';
    return z.parse(publicJwk, { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: 'sig' });
  });
  return {
    key,
    async sign(content) {
      const { alg } = await key();
      const how = signing[alg];
      const Message = how.MessageType === 'RAW' ? content : createHash('sha256').update(content).digest();
      const { Signature } = await client.send(new SignCommand({ KeyId, Message, ...how }));
      if (Signature === undefined) throw new Error('KMS returned no signature');
      return alg === 'EdDSA' ? Signature : joseSignature(Signature);
    },
  };
}

/** R and S of an ECDSA signature, which KMS returns in DER (RFC 3279 section 2.2.3), as JWS has them (RFC 7518 section 3.4), S low. */
function joseSignature(der: Uint8Array): Uint8Array {
  const octets = Buffer.from(der);
  const lengthOfR = octets.readUInt8(3);
  const r = octets.subarray(4, 4 + lengthOfR);
  const s = octets.subarray(6 + lengthOfR);
  return withLowS(Buffer.concat([r, s].map(coordinate)));
}

/** A positive integer without the octet that only says that it is positive. */
function coordinate(integer: Buffer): Buffer {
  const significant = integer.subarray(Math.max(0, integer.length - COORDINATE));
  return Buffer.concat([Buffer.alloc(COORDINATE - significant.length), significant]);
}
