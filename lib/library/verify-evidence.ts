import { readKeySet, type Verification, verifyEvidence as verifyFile } from '../../shared/evidence/verify.ts';

/**
 * Verifies evidence of the service without a network: its signature with the public keys, then each finding, the score and the plan
 * from the recorded answers, the DNSSEC proofs and the certificate chains.
 * @param evidence The document, exactly as the service answered it.
 * @param keySet The JSON Web Key Set of the service, from `/.well-known/jwks.json`.
 * @throws TypeError if `keySet` is none. Never throws because of the evidence.
 */
export async function verifyEvidence(evidence: string, keySet: string): Promise<Verification> {
  const keys = readKeySet(keySet);
  if (keys === undefined) throw new TypeError('not a JSON Web Key Set');
  return verifyFile(evidence, keys);
}
