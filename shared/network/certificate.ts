/** The certificate of a TLS server, and whether it is trusted. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { rootCertificates, type SecureContextOptions, type TLSSocket } from 'node:tls';
import type { CertificateFacts } from './ports.ts';

/** The number of certificates kept of a chain. Legitimate chains have two to four, and sometimes others beside them. */
const MAX_CHAIN = 32;

/**
 * The trusted authorities as an option of a secure context: Node's roots and those of `extraCa` (concatenated PEM).
 */
export function authorities(extraCa: string | undefined): { readonly ca?: string[] } {
  return extraCa === undefined || extraCa.trim() === '' ? {} : { ca: [...rootCertificates, extraCa] };
}

/** Trusts these certificates alone (DER), as options of a secure context; a chain may end at each of them. */
export function anchoredAt(certificates: readonly Uint8Array[]): SecureContextOptions {
  return { ca: certificates.map((der) => new X509Certificate(der).toString()), allowPartialTrustChain: true };
}

/**
 * The facts of a connection made with `rejectUnauthorized: false` and a permissive `checkServerIdentity`, so that trust
 * in the chain and the name match are reported separately. Undefined if the server sent no certificate.
 */
export function certificateFacts(socket: TLSSocket, hostname: string): CertificateFacts | undefined {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) return undefined;
  return {
    validFrom: leaf.validFromDate,
    validTo: leaf.validToDate,
    chain: chainOf(leaf),
    trusted: socket.authorized,
    ...(socket.authorized ? {} : { untrustedReason: String(socket.authorizationError) }),
    matchesName: matchesName(leaf, hostname),
  };
}

/** RFC 9525 section 6: only subject alternative names count, and a wildcard matches one whole left-most label. */
function matchesName(leaf: X509Certificate, hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  if (isIP(host) !== 0) return leaf.checkIP(host) !== undefined;
  return leaf.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined;
}

/** The chain from the leaf upwards, as far as the server sent it. */
function chainOf(leaf: X509Certificate): Uint8Array[] {
  const chain: Uint8Array[] = [];
  for (let next: X509Certificate | undefined = leaf; next !== undefined && chain.length < MAX_CHAIN; ) {
    chain.push(Uint8Array.from(next.raw));
    next = next.issuerCertificate;
  }
  return chain;
}
