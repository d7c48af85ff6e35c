/** Chains of certificates for the tests of DANE: a leaf, an intermediate CA and a root, each with faults to choose. */
import { createHash, type X509Certificate } from 'node:crypto';
import { Boolean as Asn1Boolean, BitString, Integer } from 'asn1js';
import type { TlsaRecord } from '../../shared/protocol/dns.ts';
import { expired, type ValidityOptions } from './certificates.ts';
import {
  commonName,
  extension,
  extKeyUsage,
  type KeyPair,
  keyPair,
  sequence,
  signCertificate,
  subjectAltName,
  tagged,
  taggedOctets,
} from './x509.ts';

export const faults = [
  'none',
  'leaf expired',
  'intermediate expired',
  'root expired',
  'another name',
  'common name only',
  'common name beside another alternative name',
  'path too long',
  'name not permitted',
  'second name not permitted',
  'name excluded',
  'intermediate is no CA',
  'intermediate may not sign',
  'leaf for clients only',
  'leaf signed by another key',
] as const;

export type Fault = (typeof faults)[number];

export interface Chain {
  readonly leaf: X509Certificate;
  readonly intermediate: X509Certificate;
  readonly root: X509Certificate;
  /** PEM of the key of the leaf. */
  readonly key: string;
}

export const MAIL_HOST = 'mx.example.org';

const DAY = 86_400_000;
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
const ids = { basicConstraints: '2.5.29.19', keyUsage: '2.5.29.15', nameConstraints: '2.5.29.30' };
/** Bits of a key usage (RFC 5280 section 4.2.1.3). */
const DIGITAL_SIGNATURE = 0x80;

/** Creates a chain for `MAIL_HOST` with one fault. */
export function createChain(fault: Fault): Chain {
  const keys = { root: keyPair(), intermediate: keyPair(), leaf: keyPair() };
  const from = (who: string) => (fault === `${who} expired` ? expired : {});
  const root = certify('Chain Root', 'Chain Root', keys.root, keys.root, from('root'), [
    authority(fault === 'path too long' ? 0 : undefined),
  ]);
  const intermediate = certify(
    'Chain Intermediate',
    'Chain Root',
    keys.intermediate,
    keys.root,
    from('intermediate'),
    [
      ...(fault === 'intermediate is no CA'
        ? [extension(ids.basicConstraints, sequence(), { isCritical: true })]
        : [authority()]),
      ...(fault === 'intermediate may not sign' ? [keyUsage(DIGITAL_SIGNATURE)] : []),
      ...(fault === 'name not permitted' ? [nameConstraints(0, 'example.net')] : []),
      ...(fault === 'second name not permitted' ? [nameConstraints(0, 'example.org')] : []),
      ...(fault === 'name excluded' ? [nameConstraints(1, 'example.org')] : []),
    ],
  );
  const signer = fault === 'leaf signed by another key' ? keyPair() : keys.intermediate;
  const subject = fault === 'another name' ? 'mail.example.net' : MAIL_HOST;
  const leaf = certify(subject, 'Chain Intermediate', keys.leaf, signer, from('leaf'), [
    ...namesWith(fault),
    ...(fault === 'leaf for clients only' ? [extKeyUsage(CLIENT_AUTHENTICATION)] : []),
  ]);
  return { leaf, intermediate, root, key: pemOf(keys.leaf) };
}

function namesWith(fault: Fault) {
  switch (fault) {
    case 'common name only':
      return [];
    case 'another name':
    case 'common name beside another alternative name':
      return [subjectAltName(['mail.example.net'])];
    case 'second name not permitted':
      return [subjectAltName([MAIL_HOST, 'mail.example.net'])];
    default:
      return [subjectAltName([MAIL_HOST])];
  }
}

/** A self-signed certificate for `MAIL_HOST` with its key. */
export function createSelfSigned(): { readonly leaf: X509Certificate; readonly key: string } {
  const keys = keyPair();
  const leaf = certify(MAIL_HOST, MAIL_HOST, keys, keys, {}, [subjectAltName([MAIL_HOST])]);
  return { leaf, key: pemOf(keys) };
}

/** Another root with the name of that of `createChain`. */
export function createImpostor(): X509Certificate {
  const keys = keyPair();
  return certify('Chain Root', 'Chain Root', keys, keys, {}, [authority()]);
}

/** The TLSA record of a certificate, such as `3 1 1`. */
export function tlsaOf(
  certificate: X509Certificate,
  usage: number,
  selector: number,
  matchingType: number,
): TlsaRecord {
  const selected =
    selector === 0 ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' });
  const digest = { 1: 'sha256', 2: 'sha512' }[matchingType];
  const data = digest === undefined ? selected : createHash(digest).update(selected).digest();
  return { usage, selector, matchingType, certificate: data };
}

function certify(
  subject: string,
  issuer: string,
  { publicKey }: KeyPair,
  { privateKey: signingKey }: KeyPair,
  { validFrom = new Date(Date.now() - DAY), validTo = new Date(Date.now() + 90 * DAY) }: ValidityOptions,
  extensions: ReturnType<typeof extension>[],
): X509Certificate {
  const names = { subject: commonName(subject), issuer: commonName(issuer) };
  return signCertificate({ ...names, publicKey, signingKey, validFrom, validTo, extensions });
}

function authority(pathLength?: number) {
  const limit = pathLength === undefined ? [] : [new Integer({ value: pathLength })];
  const value = sequence(new Asn1Boolean({ value: true }), ...limit);
  return extension(ids.basicConstraints, value, { isCritical: true });
}

function keyUsage(bits: number) {
  const value = new BitString({ valueHex: Uint8Array.of(bits), unusedBits: 7 });
  return extension(ids.keyUsage, value, { isCritical: true });
}

/** `kind`: 0 for permitted subtrees, 1 for excluded ones (RFC 5280 section 4.2.1.10). */
function nameConstraints(kind: 0 | 1, domain: string) {
  const subtree = sequence(taggedOctets(2, Buffer.from(domain, 'latin1')));
  return extension(ids.nameConstraints, sequence(tagged(kind, subtree)), { isCritical: true });
}

function pemOf({ privateKey }: KeyPair): string {
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}
