/**
 * Verifies certificate chains without a connection (RFC 5280 section 6.1): signatures, names of issuers, CA certificates and
 * dates, up to roots that are given. Revocation, extended key usages, path lengths, name constraints and policies are not verified.
 */
import { X509Certificate } from 'node:crypto';

/** The longest path that is followed. */
const MAX_PATH = 8;
/** Signatures that are verified for one chain. */
const MAX_SIGNATURES = 64;

/**
 * The path from the first certificate of a chain up to a root, both included; undefined if there is none at that time. A root
 * ends the path wherever it is, as it does for DANE (RFC 7672 section 3.1.2).
 */
export function trustPath(
  chain: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  now: Date,
): readonly X509Certificate[] | undefined {
  const [leaf] = chain;
  let left = MAX_SIGNATURES;

  function upFrom(path: readonly X509Certificate[]): readonly X509Certificate[] | undefined {
    const current = path.at(-1);
    if (current === undefined || !isValidAt(current, now)) return undefined;
    if (isAmong(current, roots)) return path;
    if (path.length >= MAX_PATH) return undefined;
    for (const issuer of [...roots, ...chain]) {
      if (isAmong(issuer, path) || !issuer.ca || !current.checkIssued(issuer)) continue;
      left -= 1;
      if (left < 0) return undefined;
      const found = isSignedBy(current, issuer) ? upFrom([...path, issuer]) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return leaf === undefined ? undefined : upFrom([leaf]);
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  validFromDate <= now && now <= validToDate;

const isAmong = (certificate: X509Certificate, others: readonly X509Certificate[]): boolean =>
  others.some((other) => other.raw.equals(certificate.raw));

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

/** Certificates from DER; what cannot be read is left out. */
export const readCertificates = (ders: readonly Uint8Array[]): readonly X509Certificate[] =>
  ders.flatMap((der) => {
    try {
      return [new X509Certificate(der)];
    } catch {
      return [];
    }
  });
