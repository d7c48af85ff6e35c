/** The certificate authority of the example internet, created at each start and kept in memory (RFC 5280). */
import { createHash } from 'node:crypto';
import { BitString, OctetString } from 'asn1js';
import {
  basicConstraints,
  commonName,
  extension,
  extKeyUsage,
  keyPair,
  sequence,
  signCertificate,
  subjectAltName,
  taggedOctets,
} from './x509.ts';

export interface HostCertificate {
  /** The certificate, followed by the authority's. */
  readonly chainPem: string;
  readonly keyPem: string;
  /** SHA-256 of the SubjectPublicKeyInfo, for a TLSA record `3 1 1` (RFC 6698 section 2.1). */
  readonly publicKeyDigest: Uint8Array;
}

export interface Authority {
  readonly caPem: string;
  /** Creates a key and a certificate for a host name. */
  issue(hostname: string): HostCertificate;
}

const DAY = 86_400_000;
/** The usual lifetime; no process runs longer without a restart. */
const LIFETIME_DAYS = 90;

const AUTHORITY_NAME = 'Example Internet Authority';

const ids = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  authorityKeyIdentifier: '2.5.29.35',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

const keyCertSignAndCrlSign = new BitString({ valueHex: Buffer.of(0x06), unusedBits: 1 });
const digitalSignature = new BitString({ valueHex: Buffer.of(0x80), unusedBits: 7 });

/** Creates the authority. Its certificates are valid from an hour before `now`. */
export function createAuthority(now: Date): Authority {
  const own = keyPair();
  const issuer = commonName(AUTHORITY_NAME);
  const identifier = createHash('sha1')
    .update(own.publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  const shared = {
    issuer,
    signingKey: own.privateKey,
    validFrom: new Date(now.getTime() - DAY / 24),
    validTo: new Date(now.getTime() + LIFETIME_DAYS * DAY),
  };
  const caPem = signCertificate({
    ...shared,
    subject: issuer,
    publicKey: own.publicKey,
    extensions: [
      basicConstraints(true),
      extension(ids.keyUsage, keyCertSignAndCrlSign, { isCritical: true }),
      extension(ids.subjectKeyIdentifier, new OctetString({ valueHex: identifier })),
    ],
  }).toString();
  return {
    caPem,
    issue(hostname) {
      const { privateKey, publicKey } = keyPair();
      const leaf = signCertificate({
        ...shared,
        subject: commonName(hostname),
        publicKey,
        extensions: [
          basicConstraints(false),
          extension(ids.keyUsage, digitalSignature, { isCritical: true }),
          extKeyUsage(ids.serverAuth),
          subjectAltName([hostname]),
          extension(ids.authorityKeyIdentifier, sequence(taggedOctets(0, identifier))),
        ],
      });
      return {
        chainPem: `${leaf}${caPem}`,
        keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        publicKeyDigest: createHash('sha256')
          .update(publicKey.export({ type: 'spki', format: 'der' }))
          .digest(),
      };
    },
  };
}
