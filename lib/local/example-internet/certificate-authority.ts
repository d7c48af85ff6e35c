/** The certificate authority of the example internet, created at each start and kept in memory (RFC 5280). */
import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import * as x509 from '@peculiar/asn1-x509';
import { DAY_MILLISECONDS } from '../../../shared/protocol/time.ts';

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

/** The usual lifetime; no process runs longer without a restart. */
const LIFETIME_DAYS = 90;

const AUTHORITY_NAME = 'Example Internet Authority';

const ecdsaWithSha256 = new x509.AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' });

/** Creates the authority. Its certificates are valid from an hour before `now`. */
export function createAuthority(now: Date): Authority {
  const own = keyPair();
  const validity = new x509.Validity({
    notBefore: new Date(now.getTime() - DAY_MILLISECONDS / 24),
    notAfter: new Date(now.getTime() + LIFETIME_DAYS * DAY_MILLISECONDS),
  });
  const certified = (subject: string, publicKey: Buffer, extensions: readonly x509.Extension[]): string =>
    signed(
      new x509.TBSCertificate({
        version: x509.Version.v3,
        // Positive and of full length: the highest bit clear, another one set.
        serialNumber: Uint8Array.of(0x40, ...randomBytes(15)).buffer,
        signature: ecdsaWithSha256,
        issuer: commonName(AUTHORITY_NAME),
        validity,
        subject: commonName(subject),
        subjectPublicKeyInfo: AsnConvert.parse(publicKey, x509.SubjectPublicKeyInfo),
        extensions: new x509.Extensions([...extensions]),
      }),
      own.privateKey,
    );
  const identifier = new x509.KeyIdentifier(createHash('sha1').update(own.publicKey).digest());
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags;
  const caPem = certified(AUTHORITY_NAME, own.publicKey, [
    critical(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: true })),
    critical(x509.id_ce_keyUsage, new x509.KeyUsage(keyCertSign | cRLSign)),
    extension(x509.id_ce_subjectKeyIdentifier, identifier),
  ]);
  return {
    caPem,
    issue(hostname) {
      const { privateKey, publicKey } = keyPair();
      const names = new x509.SubjectAlternativeName([new x509.GeneralName({ dNSName: hostname })]);
      const leaf = certified(hostname, publicKey, [
        critical(x509.id_ce_basicConstraints, new x509.BasicConstraints()),
        critical(x509.id_ce_keyUsage, new x509.KeyUsage(digitalSignature)),
        extension(x509.id_ce_extKeyUsage, new x509.ExtendedKeyUsage([x509.id_kp_serverAuth])),
        extension(x509.id_ce_subjectAltName, names),
        extension(
          x509.id_ce_authorityKeyIdentifier,
          new x509.AuthorityKeyIdentifier({ keyIdentifier: identifier }),
        ),
      ]);
      return {
        chainPem: `${leaf}${caPem}`,
        keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        publicKeyDigest: createHash('sha256').update(publicKey).digest(),
      };
    },
  };
}

/** An ECDSA key on P-256, and the SubjectPublicKeyInfo of its public one. */
function keyPair(): { readonly privateKey: KeyObject; readonly publicKey: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'der' }) };
}

function signed(tbsCertificate: x509.TBSCertificate, key: KeyObject): string {
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), key);
  const certificate = new x509.Certificate({
    tbsCertificate,
    signatureAlgorithm: ecdsaWithSha256,
    signatureValue: Uint8Array.from(signature).buffer,
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString();
}

function commonName(name: string): x509.Name {
  const value = new x509.AttributeValue({ utf8String: name });
  return new x509.Name([
    new x509.RelativeDistinguishedName([new x509.AttributeTypeAndValue({ type: '2.5.4.3', value })]),
  ]);
}

const extension = (extnID: string, value: unknown, isCritical = false): x509.Extension =>
  new x509.Extension({
    extnID,
    critical: isCritical,
    extnValue: new OctetString(AsnConvert.serialize(value)),
  });

const critical = (id: string, value: unknown): x509.Extension => extension(id, value, true);
