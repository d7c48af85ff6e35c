/** TLSA records for SMTP (RFC 6698, RFC 7671, RFC 7672): which are usable, and which match the chain of a host. */
import { createHash, X509Certificate } from 'node:crypto';
import type { Answer, Dns, TlsaRecord } from './dns.ts';

/** The certificate usages (RFC 6698 section 2.1.1) that are usable for SMTP (RFC 7672 section 3.1). */
const DANE_TA = 2;
export const DANE_EE = 3;

const WHOLE_CERTIFICATE = 0;
const PUBLIC_KEY = 1;
/** Digests by matching type (RFC 6698 section 2.1.3), lengths in octets. Matching type 0 is the data itself. */
const digests: Readonly<Record<number, { readonly hash: string; readonly length: number }>> = {
  1: { hash: 'sha256', length: 32 },
  2: { hash: 'sha512', length: 64 },
};

/**
 * Looks up the TLSA records of an MX host (RFC 7672 section 2.2) with their signatures, without validation by the
 * resolver, so that broken signatures and failed lookups can be distinguished.
 */
export function lookupTlsa(host: string, dns: Dns): Promise<Answer<TlsaRecord>> {
  return dns.lookup(`_25._tcp.${host}`, 'TLSA', { dnssec: true, checkingDisabled: true });
}

/**
 * Whether the record is usable for SMTP (RFC 7672 section 3.1): usage 2 or 3, a known selector and matching type, and
 * data of the right length.
 */
export function isUsableTlsa({ usage, selector, matchingType, certificate }: TlsaRecord): boolean {
  if (usage !== DANE_TA && usage !== DANE_EE) return false;
  if (selector !== WHOLE_CERTIFICATE && selector !== PUBLIC_KEY) return false;
  if (matchingType === 0) return certificate.length > 0;
  return digests[matchingType]?.length === certificate.length;
}

/**
 * Whether the chain that a host sent (DER, leaf first) matches the record. Usage 3 matches the leaf alone, whatever its
 * names and dates (RFC 7672 section 3.1.1). Usage 2 matches an issuer in the chain; the chain from it to the leaf must
 * be correctly signed and within its dates, and the leaf must have one of the names `hosts` (section 3.1.2).
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

/** Parses the chain up to the first certificate that cannot be parsed. */
function readChain(chain: readonly Uint8Array[]): X509Certificate[] {
  const certificates: X509Certificate[] = [];
  try {
    for (const der of chain) certificates.push(new X509Certificate(der));
  } catch {
    // What follows an unparsable certificate proves nothing.
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
    // A key type that OpenSSL does not support.
    return undefined;
  }
}

function isWithinDates({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now <= validToDate;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  // checkIssued compares only names and extensions; the signature is what counts.
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
