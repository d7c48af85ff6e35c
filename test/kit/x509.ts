/** X.509 certificates with ECDSA keys on P-256 (RFC 5280) for tests, also malformed ones, from their ASN.1 elements. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import * as asn1 from 'asn1js';

type Element = asn1.AsnType;

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface CertificatePlan {
  readonly subject: Element;
  readonly issuer: Element;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly validFrom: Date;
  readonly validTo: Date;
  readonly extensions: readonly Element[];
}

const ids = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extKeyUsage: '2.5.29.37',
} as const;

export function keyPair(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** Signs a certificate (RFC 5280 section 4.1). */
export function signCertificate({ signingKey, ...plan }: CertificatePlan): X509Certificate {
  const algorithm = sequence(oid(ids.ecdsaWithSha256));
  // Positive and of full length: the highest bit clear, another one set.
  const serial = Buffer.concat([Buffer.of(0x40), randomBytes(15)]);
  const toBeSigned = sequence(
    tagged(0, new asn1.Integer({ value: 2 })),
    new asn1.Integer({ valueHex: serial }),
    algorithm,
    plan.issuer,
    sequence(time(plan.validFrom), time(plan.validTo)),
    plan.subject,
    asn1.fromBER(plan.publicKey.export({ type: 'spki', format: 'der' })).result,
    tagged(3, sequence(...plan.extensions)),
  );
  const signature = sign('sha256', Buffer.from(toBeSigned.toBER()), signingKey);
  const signed = sequence(toBeSigned, algorithm, new asn1.BitString({ valueHex: signature }));
  return new X509Certificate(Buffer.from(signed.toBER()));
}

/** A distinguished name of attributes, each with its object identifier. */
export function distinguishedName(
  ...attributes: readonly (readonly [type: string, value: string])[]
): Element {
  return sequence(
    ...attributes.map(
      ([type, value]) => new asn1.Set({ value: [sequence(oid(type), new asn1.Utf8String({ value }))] }),
    ),
  );
}

export function commonName(value: string): Element {
  return distinguishedName([ids.commonName, value]);
}

export function basicConstraints(isAuthority: boolean): Element {
  const value = isAuthority ? sequence(new asn1.Boolean({ value: true })) : sequence();
  return extension(ids.basicConstraints, value, { isCritical: true });
}

export function subjectAltName(hostnames: readonly string[]): Element {
  const names = hostnames.map((name) => taggedOctets(2, Buffer.from(name, 'latin1')));
  return extension(ids.subjectAltName, sequence(...names));
}

export function extKeyUsage(purpose: string): Element {
  return extension(ids.extKeyUsage, sequence(oid(purpose)));
}

export function extension(id: string, value: Element, { isCritical = false } = {}): Element {
  const critical = isCritical ? [new asn1.Boolean({ value: true })] : [];
  return sequence(oid(id), ...critical, new asn1.OctetString({ valueHex: value.toBER() }));
}

/** An object identifier such as `1.2.840.10045`. */
export function oid(value: string): Element {
  return new asn1.ObjectIdentifier({ value });
}

export function sequence(...value: Element[]): Element {
  return new asn1.Sequence({ value });
}

/** An element with a context-specific tag, `[number]`, that contains another. */
export function tagged(number: number, value: Element): Element {
  return new asn1.Constructed({ idBlock: { tagClass: CONTEXT_SPECIFIC, tagNumber: number }, value: [value] });
}

/** Octets with a context-specific tag, `[number]`. */
export function taggedOctets(number: number, valueHex: Uint8Array): Element {
  return new asn1.Primitive({ idBlock: { tagClass: CONTEXT_SPECIFIC, tagNumber: number }, valueHex });
}

const CONTEXT_SPECIFIC = 3;

/** Certificates use UTCTime until 2049, and GeneralizedTime from 2050 (RFC 5280 section 4.1.2.5). */
function time(valueDate: Date): Element {
  return valueDate.getUTCFullYear() < 2050
    ? new asn1.UTCTime({ valueDate })
    : new asn1.GeneralizedTime({ valueDate });
}
