/**
 * Certificate authorities and server certificates for tests: ECDSA P-256, created in memory (RFC 5280 section 4.1).
 */
import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { bits, context, der, oid, text, time } from '../../lib/local/example-internet/der.ts';

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

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Plan extends ValidityOptions {
  readonly subject: string;
  readonly issuer: string;
  readonly keys: KeyPair;
  readonly signer: KeyPair;
  readonly names: readonly string[];
  readonly authority: boolean;
}

function keyPair(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function build(plan: Plan): Certificate {
  const { validFrom = new Date(Date.now() - DAY), validTo = new Date(Date.now() + 90 * DAY) } = plan;
  const spki = plan.keys.publicKey.export({ type: 'spki', format: 'der' });
  const toBeSigned = sequence(
    context(0, 'constructed', der('integer', Buffer.of(2))),
    der('integer', Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    commonName(plan.issuer),
    sequence(time(validFrom), time(validTo)),
    commonName(plan.subject),
    spki,
    context(3, 'constructed', sequence(...extensions(plan))),
  );
  const encoded = sequence(
    toBeSigned,
    ecdsaWithSha256,
    bits(sign('sha256', toBeSigned, plan.signer.privateKey)),
  );
  return {
    cert: new X509Certificate(encoded).toString(),
    key: String(plan.keys.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    der: encoded,
    spkiSha256: createHash('sha256').update(spki).digest(),
  };
}

function extensions({ names, authority }: Plan): Buffer[] {
  const basicConstraints = extension('2.5.29.19', true, authority ? sequence(TRUE) : sequence());
  if (authority) return [basicConstraints];
  const alternatives = names.map((name) => context(2, 'primitive', Buffer.from(name, 'latin1')));
  return names.length === 0
    ? [basicConstraints]
    : [basicConstraints, extension('2.5.29.17', false, sequence(...alternatives))];
}

function commonName(name: string): Buffer {
  return sequence(der('set', sequence(oid('2.5.4.3'), text(name))));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(critical ? [TRUE] : []), der('octets', value));
}

function sequence(...content: readonly Uint8Array[]): Buffer {
  return der('sequence', ...content);
}

const TRUE = der('boolean', Buffer.of(0xff));
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
