/** The signature of evidence: a JWS with detached content (RFC 7515 appendix F) over its canonical JSON (RFC 8785). */
import * as z from 'zod/mini';
import { canonicalJson } from './canonical.ts';
import type { EvidenceJson, SignedEvidence } from './document.ts';

/** Algorithms of signatures (RFC 7518 section 3.1, RFC 8037 section 3.1). */
export const algorithms = ['EdDSA', 'ES256'] as const;

/** A public key as it is published (RFC 7517). */
export const publicJwk = z.object({
  kty: z.enum(['OKP', 'EC']),
  crv: z.string(),
  x: z.string(),
  y: z.exactOptional(z.string()),
  /** The thumbprint of the key (RFC 7638). */
  kid: z.string(),
  alg: z.enum(algorithms),
  use: z.literal('sig'),
});

export type PublicJwk = Readonly<z.infer<typeof publicJwk>>;

/** The order of the group of P-256 (SEC 2 section 2.4.2), and the octets of a number below it. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const ORDER_OCTETS = 32;

/**
 * The one form of an ES256 signature (R and S, RFC 7518 section 3.4) that counts: of S and its negative, which are both valid, the
 * lower one. So nobody can change a signature without the key.
 */
export function withLowS(signature: Uint8Array): Uint8Array {
  const [r, octets] = [signature.subarray(0, ORDER_OCTETS), signature.subarray(ORDER_OCTETS)];
  const s = BigInt(`0x0${Buffer.from(octets).toString('hex')}`);
  if (s <= ORDER / 2n || s >= ORDER) return signature;
  const low = (ORDER - s).toString(16).padStart(2 * ORDER_OCTETS, '0');
  return Buffer.concat([r, Buffer.from(low, 'hex')]);
}

/** Signs with a private key that it does not show. */
export interface Signer {
  readonly key: () => Promise<PublicJwk>;
  /** The signature in the form of JWS. */
  readonly sign: (content: Uint8Array) => Promise<Uint8Array>;
}

/** What signatures are of, so that they cannot be taken for those of something else (RFC 7515 section 4.1.9). */
export const TYPE = 'evidence+jws';

const encoded = (content: string | Uint8Array): string => Buffer.from(content).toString('base64url');

/** The JWS signing input (RFC 7515 section 5.1). */
const signingInput = (header: string, content: string): Uint8Array =>
  Buffer.from(`${header}.${encoded(content)}`, 'ascii');

export async function signEvidence(evidence: EvidenceJson, signer: Signer): Promise<SignedEvidence> {
  const { alg, kid } = await signer.key();
  const header = encoded(canonicalJson({ alg, kid, typ: TYPE }));
  const signature = await signer.sign(signingInput(header, canonicalJson(evidence)));
  return { evidence, signature: `${header}..${encoded(signature)}` };
}
