/** TLSA records for SMTP (RFC 6698, RFC 7671, RFC 7672): which can be used, and which match what a host showed. */
import { createHash, X509Certificate } from 'node:crypto';
import type { Answer, Dns, TlsaRecord } from './dns.ts';

/** Certificate usages (RFC 6698 section 2.1.1) that count for SMTP (RFC 7672 section 3.1). */
const DANE_TA = 2;
export const DANE_EE = 3;

const WHOLE_CERTIFICATE = 0;
const PUBLIC_KEY = 1;
/** Octets of a digest by matching type (RFC 6698 section 2.1.3); 0 is the data itself. */
const digests: Readonly<Record<number, { readonly hash: string; readonly length: number }>> = {
  1: { hash: 'sha256', length: 32 },
  2: { hash: 'sha512', length: 64 },
};

/**
 * The TLSA records of an MX host (RFC 7672 section 2.2), with their signatures, and unvalidated, so that broken ones
 * are told apart from ones that could not be looked up.
 */
export function lookupTlsa(host: string, dns: Dns): Promise<Answer<TlsaRecord>> {
  return dns.lookup(`_25._tcp.${host}`, 'TLSA', { dnssec: true, checkingDisabled: true });
}

/**
 * Whether a sending server can use the record (RFC 7672 section 3.1): usage 2 or 3, a known selector and matching
 * type, and data of the right length.
 */
export function isUsableTlsa({ usage, selector, matchingType, certificate }: TlsaRecord): boolean {
  if (usage !== DANE_TA && usage !== DANE_EE) return false;
  if (selector !== WHOLE_CERTIFICATE && selector !== PUBLIC_KEY) return false;
  if (matchingType === 0) return certificate.length > 0;
  return digests[matchingType]?.length === certificate.length;
}

/**
 * Whether the chain a host sent (DER, leaf first) is what the record says. For usage 3 that is the leaf alone,
 * whatever its names and dates (RFC 7672 section 3.1.1); for usage 2 it is an issuer in the chain from which the
 * signatures lead down to a leaf that is within its dates and bears one of the names `hosts` (section 3.1.2).
 */
export function matchesTlsa(
  record: TlsaRecord,
  chain: readonly Uint8Array[],
  hosts: readonly string[],
  now: Date,
): boolean {
  if (!isUsableTlsa(record)) return false;
  const certificates = readChain(chain);
  const [leaf] = certificates;
  if (leaf === undefined) return false;
  if (record.usage === DANE_EE) return isDescribed(leaf, record);
  const named = hosts.some(
    (host) => leaf.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined,
  );
  if (!named) return false;
  for (const [index, certificate] of certificates.entries()) {
    if (!isWithinDates(certificate, now)) return false;
    if (index > 0 && isDescribed(certificate, record)) return true;
    const issuer = certificates[index + 1];
    if (issuer === undefined || !isIssuedBy(certificate, issuer)) return false;
  }
  return false;
}

/** As far as the chain can be read. */
function readChain(chain: readonly Uint8Array[]): X509Certificate[] {
  const certificates: X509Certificate[] = [];
  try {
    for (const der of chain) certificates.push(new X509Certificate(der));
  } catch {
    // What follows a certificate that cannot be read proves nothing.
  }
  return certificates;
}

function isDescribed(certificate: X509Certificate, record: TlsaRecord): boolean {
  const selected = record.selector === WHOLE_CERTIFICATE ? certificate.raw : publicKeyInfo(certificate);
  if (selected === undefined) return false;
  const digest = digests[record.matchingType];
  const described = digest === undefined ? selected : createHash(digest.hash).update(selected).digest();
  return described.equals(record.certificate);
}

function publicKeyInfo(certificate: X509Certificate): Buffer | undefined {
  try {
    return certificate.publicKey.export({ type: 'spki', format: 'der' });
  } catch {
    // A key of a kind that OpenSSL does not know.
    return undefined;
  }
}

function isWithinDates({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now <= validToDate;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  // checkIssued compares names and extensions only; the signature is what counts.
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
