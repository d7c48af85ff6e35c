/** Signers with keys that the test made. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { type Signer, withLowS } from '../../shared/evidence/signature.ts';

export function testSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  return {
    key: async () => ({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'EdDSA', use: 'sig' }),
    sign: async (content) => sign(null, content, privateKey),
  };
}

/** As on AWS. */
export function ecdsaSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const jwk = { kty: 'EC', crv: 'P-256', x, y } as const;
  return {
    key: async () => ({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'ES256', use: 'sig' }),
    sign: async (content) =>
      withLowS(sign('sha256', content, { key: privateKey, dsaEncoding: 'ieee-p1363' })),
  };
}
