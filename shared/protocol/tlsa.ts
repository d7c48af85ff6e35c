/** TLSA records for SMTP (RFC 6698, RFC 7671, RFC 7672): which are usable, and what they say about a chain. */
import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Answer, Dns, TlsaRecord } from './dns.ts';

/** The certificate usages (RFC 6698 section 2.1.1) that are usable for SMTP (RFC 7672 section 3.1). */
const DANE_TA = 2;
const DANE_EE = 3;

const WHOLE_CERTIFICATE = 0;
const PUBLIC_KEY = 1;
/** Matching types (RFC 6698 section 2.1.3): the data itself, and digests with their lengths in octets. */
const FULL = 0;
const SHA256 = 1;
const SHA512 = 2;
const digests: Readonly<Record<number, { readonly hash: string; readonly length: number }>> = {
  [SHA256]: { hash: 'sha256', length: 32 },
  [SHA512]: { hash: 'sha512', length: 64 },
};

/** Far more than a rollover of several certificates needs. */
const MAX_RECORDS = 32;
/** Signatures tried with keys from records: those of a chain of four with two keys. */
const MAX_SIGNATURES = 8;

/**
 * Looks up the TLSA records of an MX host (RFC 7672 section 2.2) with their signatures, without validation by the
 * resolver, so that broken signatures and failed lookups can be distinguished.
 */
export function lookupTlsa(host: string, dns: Dns): Promise<Answer<TlsaRecord>> {
  return dns.lookup(`_25._tcp.${host}`, 'TLSA', { dnssec: true, checkingDisabled: true });
}

/**
 * The records that senders use (RFC 7672 section 3.1): usage 2 or 3, a known selector and matching type, and data of the
 * right form. For each usage and selector, only those with the strongest digest (RFC 7671 section 9).
 */
export function usableTlsa(records: readonly TlsaRecord[]): TlsaRecord[] {
  const usable = records.slice(0, MAX_RECORDS).filter(isUsable);
  return usable.filter(
    (record) =>
      record.matchingType !== SHA256 ||
      !usable.some(
        ({ usage, selector, matchingType }) =>
          matchingType === SHA512 && usage === record.usage && selector === record.selector,
      ),
  );
}

function isUsable({ usage, selector, matchingType, certificate }: TlsaRecord): boolean {
  if (usage !== DANE_TA && usage !== DANE_EE) return false;
  if (matchingType !== FULL) {
    const isKnown = selector === WHOLE_CERTIFICATE || selector === PUBLIC_KEY;
    return isKnown && digests[matchingType]?.length === certificate.length;
  }
  if (selector === WHOLE_CERTIFICATE) return readCertificate(certificate) !== undefined;
  return selector === PUBLIC_KEY && readKey(certificate) !== undefined;
}

/**
 * Whether the chain that a host sent (DER, leaf first) matches a record of usage 3, which describes the leaf alone,
 * whatever its names and dates (RFC 7672 section 3.1.1).
 */
export function matchesLeaf(records: readonly TlsaRecord[], [leaf]: readonly Uint8Array[]): boolean {
  const certificate = leaf === undefined ? undefined : readCertificate(leaf);
  return (
    certificate !== undefined && records.some((it) => it.usage === DANE_EE && isDescribed(certificate, it))
  );
}

/**
 * The certificates at which a chain that a host sent (DER, leaf first) may end according to the records of usage 2 (RFC
 * 7672 section 3.1.2). A record with a whole certificate is one, whether the host sent it or not. A record with a whole
 * key stands above every certificate that was signed with it. All others describe an issuer that the host sent.
 */
export function trustAnchors(records: readonly TlsaRecord[], chain: readonly Uint8Array[]): Uint8Array[] {
  const sent = chain.flatMap((der) => readCertificate(der) ?? []);
  const [leaf] = sent;
  if (leaf === undefined) return [];
  const anchored = records.filter(({ usage }) => usage === DANE_TA);
  const issuers = [
    ...anchored.filter(isWholeCertificate).flatMap(({ certificate }) => readCertificate(certificate) ?? []),
    ...sent.filter((certificate) => anchored.some((record) => isDescribed(certificate, record))),
  ].filter(({ raw }) => !raw.equals(leaf.raw));
  const keys = anchored.filter(isWholeKey).flatMap(({ certificate }) => readKey(certificate) ?? []);
  const signed = keys
    .flatMap((key) => sent.map((certificate) => ({ key, certificate })))
    .slice(0, MAX_SIGNATURES)
    .flatMap(({ key, certificate }) => (isSignedWith(certificate, key) ? [certificate] : []));
  return [...new Map([...issuers, ...signed].map(({ raw }) => [raw.toString('latin1'), raw])).values()];
}

/** Whether a record describes the leaf of a chain that a host sent, or an issuer above it. Names and dates do not matter. */
export const isDescribedBy = (records: readonly TlsaRecord[], chain: readonly Uint8Array[]): boolean =>
  matchesLeaf(records, chain) || trustAnchors(records, chain).length > 0;

/**
 * Where in the chain that a host sent (DER, leaf first) the certificates are that a record describes: the leaf for usage 3, and
 * issuers for usage 2.
 */
export function positionsIn(record: TlsaRecord, chain: readonly Uint8Array[]): readonly number[] {
  return chain.flatMap((der, position) => {
    const isPlace = position === 0 ? record.usage === DANE_EE : record.usage === DANE_TA;
    const certificate = isPlace ? readCertificate(der) : undefined;
    return certificate !== undefined && isDescribed(certificate, record) ? [position] : [];
  });
}

/**
 * A record for the public key of a certificate (DER): `3 1 1`, or `2 1 1` for an issuer, with SHA-512 if the published records of
 * the same usage have it, because senders then ignore SHA-256 (RFC 7671 section 9).
 */
export function keyRecord(
  usage: 2 | 3,
  der: Uint8Array,
  published: readonly TlsaRecord[],
): TlsaRecord | undefined {
  const certificate = readCertificate(der);
  const key = certificate && publicKeyInfo(certificate);
  if (key === undefined) return undefined;
  const isStrong = published.some(
    (one) => one.usage === usage && one.selector === PUBLIC_KEY && one.matchingType === SHA512,
  );
  const matchingType = isStrong ? SHA512 : SHA256;
  const hash = digests[matchingType]?.hash ?? 'sha256';
  return { usage, selector: PUBLIC_KEY, matchingType, certificate: createHash(hash).update(key).digest() };
}

/**
 * Whether the leaf of a chain has one of the names `hosts`. A common name counts only without subject alternative names
 * for hosts (RFC 7672 section 3.2.3).
 */
export function isNamed([leaf]: readonly Uint8Array[], hosts: readonly string[]): boolean {
  const certificate = leaf === undefined ? undefined : readCertificate(leaf);
  return hosts.some(
    (host) => certificate?.checkHost(host, { subject: 'default', partialWildcards: false }) !== undefined,
  );
}

function isWholeCertificate({ selector, matchingType }: TlsaRecord): boolean {
  return selector === WHOLE_CERTIFICATE && matchingType === FULL;
}

function isWholeKey({ selector, matchingType }: TlsaRecord): boolean {
  return selector === PUBLIC_KEY && matchingType === FULL;
}

function isDescribed(certificate: X509Certificate, record: TlsaRecord): boolean {
  const selected = record.selector === WHOLE_CERTIFICATE ? certificate.raw : publicKeyInfo(certificate);
  if (selected === undefined) return false;
  const digest = digests[record.matchingType];
  const described = digest === undefined ? selected : createHash(digest.hash).update(selected).digest();
  return described.equals(record.certificate);
}

/** Undefined if the data is not one certificate, or its key is of a type that OpenSSL does not support. */
function readCertificate(der: Uint8Array): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(der);
    return certificate.raw.equals(der) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

function publicKeyInfo(certificate: X509Certificate): Buffer | undefined {
  try {
    return certificate.publicKey.export({ type: 'spki', format: 'der' });
  } catch {
    // A key type that OpenSSL does not support.
    return undefined;
  }
}

function readKey(der: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(der), type: 'spki', format: 'der' });
  } catch {
    return undefined;
  }
}

function isSignedWith(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.verify(key);
  } catch {
    // A key of another type than the signature.
    return false;
  }
}
