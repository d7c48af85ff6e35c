/** The certificate authority of the example internet, created at each start and kept in memory (RFC 5280). */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, context, der, oid, text, time } from './der.ts';

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
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

/** Creates the authority. Its certificates are valid from an hour before `now`. */
export function createAuthority(now: Date): Authority {
  const own = keyPair();
  const identifier = createHash('sha1').update(own.spki).digest();
  const build = (subject: string, spki: Uint8Array, extensions: readonly Buffer[]) =>
    pem('CERTIFICATE', certificate({ subject, spki, extensions, now, signingKey: own.privateKey }));
  const caPem = build(AUTHORITY_NAME, own.spki, [
    extension(ids.basicConstraints, 'critical', der('sequence', der('boolean', Buffer.of(0xff)))),
    // keyCertSign and cRLSign
    extension(ids.keyUsage, 'critical', der('bits', Buffer.of(1, 0x06))),
    extension(ids.subjectKeyIdentifier, 'ordinary', der('octets', identifier)),
  ]);
  return {
    caPem,
    issue(hostname) {
      const { privateKey, spki } = keyPair();
      const leaf = build(hostname, spki, [
        extension(ids.basicConstraints, 'critical', der('sequence')),
        // digitalSignature
        extension(ids.keyUsage, 'critical', der('bits', Buffer.of(7, 0x80))),
        extension(ids.extKeyUsage, 'ordinary', der('sequence', oid(ids.serverAuth))),
        extension(
          ids.subjectAltName,
          'ordinary',
          der('sequence', context(2, 'primitive', Buffer.from(hostname))),
        ),
        extension(
          ids.authorityKeyIdentifier,
          'ordinary',
          der('sequence', context(0, 'primitive', identifier)),
        ),
      ]);
      return {
        chainPem: leaf + caPem,
        keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        publicKeyDigest: createHash('sha256').update(spki).digest(),
      };
    },
  };
}

interface CertificateParts {
  readonly subject: string;
  readonly spki: Uint8Array;
  readonly extensions: readonly Buffer[];
  readonly now: Date;
  readonly signingKey: KeyObject;
}

/** RFC 5280 section 4.1. */
function certificate({ subject, spki, extensions, now, signingKey }: CertificateParts): Buffer {
  const algorithm = der('sequence', oid(ids.ecdsaWithSha256));
  const notBefore = new Date(now.getTime() - DAY / 24);
  const notAfter = new Date(now.getTime() + LIFETIME_DAYS * DAY);
  const serial = randomBytes(16);
  // Positive and of full length: the highest bit clear, the next one set.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const toBeSigned = der(
    'sequence',
    context(0, 'constructed', der('integer', Buffer.of(2))),
    der('integer', serial),
    algorithm,
    commonName(AUTHORITY_NAME),
    der('sequence', time(notBefore), time(notAfter)),
    commonName(subject),
    spki,
    context(3, 'constructed', der('sequence', ...extensions)),
  );
  return der('sequence', toBeSigned, algorithm, bits(sign('sha256', toBeSigned, signingKey)));
}

function commonName(name: string): Buffer {
  return der('sequence', der('set', der('sequence', oid(ids.commonName), text(name))));
}

function extension(id: string, weight: 'critical' | 'ordinary', value: Buffer): Buffer {
  const critical = weight === 'critical' ? [der('boolean', Buffer.of(0xff))] : [];
  return der('sequence', oid(id), ...critical, der('octets', value));
}

function keyPair(): { privateKey: KeyObject; spki: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, spki: publicKey.export({ type: 'spki', format: 'der' }) };
}

function pem(label: string, octets: Buffer): string {
  const lines = octets.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
