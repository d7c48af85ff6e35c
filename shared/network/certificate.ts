/** What a TLS server showed of itself, and whether we believe it. */
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { rootCertificates, type TLSSocket } from 'node:tls';
import type { CertificateFacts } from './ports.ts';

/** Certificates of a chain that are kept; honest ones have two to four. */
const MAX_CHAIN = 10;
/** Names of a certificate that are kept for showing; matching looks at all of them. */
const MAX_NAMES = 100;

/**
 * The authorities we trust, as an option of a secure context: Node's roots, and those of `extraCa` (PEM, several
 * one after another).
 */
export function authorities(extraCa: string | undefined): { readonly ca?: string[] } {
  return extraCa === undefined || extraCa.trim() === '' ? {} : { ca: [...rootCertificates, extraCa] };
}

/**
 * The facts of a connection made with `rejectUnauthorized: false` and a `checkServerIdentity` that lets all pass,
 * so that trust in the chain and the name are told apart. Undefined where the server showed no certificate.
 */
export function certificateFacts(socket: TLSSocket, hostname: string): CertificateFacts | undefined {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) return undefined;
  return {
    subject: oneLine(leaf.subject),
    issuer: oneLine(leaf.issuer),
    names: dnsNames(leaf),
    validFrom: leaf.validFromDate,
    validTo: leaf.validToDate,
    chain: chainOf(leaf),
    trusted: socket.authorized,
    ...(socket.authorized ? {} : { untrustedReason: String(socket.authorizationError) }),
    matchesName: matchesName(leaf, hostname),
  };
}

/** RFC 9525 section 6: only subject alternative names count, a wildcard stands for one whole left-most label. */
function matchesName(leaf: X509Certificate, hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  if (isIP(host) !== 0) return leaf.checkIP(host) !== undefined;
  return leaf.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined;
}

function dnsNames(leaf: X509Certificate): string[] {
  const names = (leaf.subjectAltName ?? '').split(', ').filter((name) => name.startsWith('DNS:'));
  return names.slice(0, MAX_NAMES).map((name) => name.slice('DNS:'.length).toLowerCase());
}

/** Each certificate with its issuer's after it, as far as the server sent them. */
function chainOf(leaf: X509Certificate): Uint8Array[] {
  const chain: Uint8Array[] = [];
  for (let next: X509Certificate | undefined = leaf; next !== undefined && chain.length < MAX_CHAIN; ) {
    chain.push(Uint8Array.from(next.raw));
    next = next.issuerCertificate;
  }
  return chain;
}

function oneLine(distinguishedName: string | undefined): string {
  return (distinguishedName ?? '').replaceAll('\n', ', ');
}
