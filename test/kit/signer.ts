/** A signer with a key that the test made. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import type { Signer } from '../../shared/evidence/signature.ts';

export function testSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  return {
    key: async () => ({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'EdDSA', use: 'sig' }),
    sign: async (content) => sign(null, content, privateKey),
  };
}
