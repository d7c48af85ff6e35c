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
