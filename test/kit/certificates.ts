/**
 * Certificate authorities and server certificates for tests: ECDSA P-256, created in memory (RFC 5280 section 4.1).
 */
import { createHash } from 'node:crypto';
import {
  basicConstraints,
  commonName,
  type KeyPair,
  keyPair,
  signCertificate,
  subjectAltName,
} from './x509.ts';

export interface Certificate {
  /** PEM, as `tls.createServer` expects it. */
  readonly cert: string;
  readonly key: string;
  readonly der: Buffer;
  /** SHA-256 of the subject public key info: the data of a TLSA record `3 1 1` (RFC 6698 section 2.1). */
  readonly spkiSha256: Buffer;
}

export interface Authority extends Certificate {
  /** Issues a certificate for these names; the PEM of `chain` includes the authority. */
  issue(names: readonly string[], options?: ValidityOptions): Certificate & { readonly chain: string };
}

export interface ValidityOptions {
  readonly validFrom?: Date;
  readonly validTo?: Date;
}

const DAY = 86_400_000;

/** Creates a self-signed authority. */
export function createAuthority(name = 'Test Authority'): Authority {
  const keys = keyPair();
  const certificate = build({ subject: name, issuer: name, keys, signer: keys, names: [], authority: true });
  return {
    ...certificate,
    issue(names, validity) {
      const leaf = build({
        subject: names[0] ?? 'unnamed',
        issuer: name,
        keys: keyPair(),
        signer: keys,
        names,
        authority: false,
        ...validity,
      });
      return { ...leaf, chain: `${leaf.cert}${certificate.cert}` };
    },
  };
}

/** Creates a self-signed server certificate. */
export function selfSigned(names: readonly string[], validity: ValidityOptions = {}): Certificate {
  const keys = keyPair();
  const subject = names[0] ?? 'unnamed';
  return build({ subject, issuer: subject, keys, signer: keys, names, authority: false, ...validity });
}

/** Validity periods of a certificate that has expired or is not valid yet. */
export const expired: ValidityOptions = {
  validFrom: new Date(Date.now() - 90 * DAY),
  validTo: new Date(Date.now() - DAY),
};
export const notYetValid: ValidityOptions = {
  validFrom: new Date(Date.now() + DAY),
  validTo: new Date(Date.now() + 90 * DAY),
};

interface Plan extends ValidityOptions {
  readonly subject: string;
  readonly issuer: string;
  readonly keys: KeyPair;
  readonly signer: KeyPair;
  readonly names: readonly string[];
  readonly authority: boolean;
}

function build(plan: Plan): Certificate {
  const { validFrom = new Date(Date.now() - DAY), validTo = new Date(Date.now() + 90 * DAY) } = plan;
  const { publicKey, privateKey } = plan.keys;
  const certificate = signCertificate({
    subject: commonName(plan.subject),
    issuer: commonName(plan.issuer),
    publicKey,
    signingKey: plan.signer.privateKey,
    validFrom,
    validTo,
    extensions: [
      basicConstraints(plan.authority),
      ...(plan.names.length === 0 ? [] : [subjectAltName(plan.names)]),
    ],
  });
  return {
    cert: certificate.toString(),
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    der: certificate.raw,
    spkiSha256: createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest(),
  };
}
