/** Who issued a certificate. */
import { X509Certificate } from 'node:crypto';
// Before the first `toLegacyObject`, which loads half of this module: the rest would be missing for all who load it later.
import 'node:tls';
import type { CertificateFacts } from '../network/ports.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';

/**
 * The organization that issued a certificate, because a CA renames its intermediate certificates with every other renewal.
 */
export function issuerOf({ chain: [leaf] }: CertificateFacts): string | null {
  if (leaf === undefined) return null;
  const { O: organization, CN: name } = new X509Certificate(leaf).toLegacyObject().issuer;
  const shown = [organization, name].flat().find((text) => text !== undefined && text !== '');
  return shown === undefined ? null : excerpt(shown);
}
