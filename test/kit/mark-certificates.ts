/** Mark certificates for tests: chains with a logo, created in memory (draft-fetch-validation-vmc-wchuang-05). */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { IA5String, OctetString } from 'asn1js';
import {
  basicConstraints,
  distinguishedName,
  extension,
  extKeyUsage,
  keyPair,
  oid,
  sequence,
  signCertificate,
  subjectAltName,
  tagged,
} from './x509.ts';

export interface MarkPlan {
  readonly names?: readonly string[];
  readonly logo?: string;
  /** The content of the digest beside the logo; the logo by default. */
  readonly digested?: string;
  readonly withoutLogotype?: boolean;
  readonly withoutDigest?: boolean;
  /** Extended key usages of leaf and issuer; that of BIMI by default. */
  readonly leafUsage?: string;
  readonly issuerUsage?: string;
  readonly issuerIsAuthority?: boolean;
  readonly validFrom?: string;
  /** The organization in the name of the issuer. */
  readonly issuedBy?: string;
  readonly validTo?: string;
  /** Leaf and issuer have empty names, which a hostile chain may have. */
  readonly unnamed?: boolean;
  /** Signs the leaf with a key other than that of the issuer it names. */
  readonly forged?: boolean;
}

/** All in PEM. */
export interface MarkChain {
  readonly root: string;
  readonly issuer: string;
  readonly leaf: string;
}

const BIMI_USAGE = '1.3.6.1.5.5.7.3.31';

/** Creates a root, an issuing authority, and a mark certificate of 2026 for example.org. */
export function markChain(plan: MarkPlan = {}): MarkChain {
  const { names = ['example.org'], leafUsage = BIMI_USAGE, issuerUsage = BIMI_USAGE } = plan;
  const [rootKeys, issuerKeys, leafKeys] = [keyPair(), keyPair(), keyPair()];
  const root = distinguishedName(['2.5.4.3', 'Mark Root']);
  const issuer = plan.unnamed
    ? distinguishedName()
    : distinguishedName(...(plan.issuedBy === undefined ? [] : [['2.5.4.10', plan.issuedBy] as const]), [
        '2.5.4.3',
        'Mark Issuer',
      ]);
  const subject = plan.unnamed
    ? distinguishedName()
    : distinguishedName(['2.5.4.10', 'Example, Inc.'], ['1.3.6.1.4.1.53087.1.13', 'Registered Mark']);
  const ofAuthorities = {
    issuer: root,
    signingKey: rootKeys.privateKey,
    validFrom: new Date('2020-01-01'),
    validTo: new Date('2040-01-01'),
  };
  return {
    root: signCertificate({
      ...ofAuthorities,
      subject: root,
      publicKey: rootKeys.publicKey,
      extensions: [basicConstraints(true)],
    }).toString(),
    issuer: signCertificate({
      ...ofAuthorities,
      subject: issuer,
      publicKey: issuerKeys.publicKey,
      extensions: [basicConstraints(plan.issuerIsAuthority ?? true), extKeyUsage(issuerUsage)],
    }).toString(),
    leaf: signCertificate({
      subject,
      issuer,
      publicKey: leafKeys.publicKey,
      signingKey: (plan.forged ? leafKeys : issuerKeys).privateKey,
      validFrom: new Date(plan.validFrom ?? '2026-01-01'),
      validTo: new Date(plan.validTo ?? '2027-01-01'),
      extensions: [
        extKeyUsage(leafUsage),
        subjectAltName(names),
        ...(plan.withoutLogotype ? [] : [logotype(plan)]),
      ],
    }).toString(),
  };
}

/** LogotypeExtn with one direct subject logo (RFC 9399 section 4.1). */
function logotype({ logo = '<svg/>', digested = logo, withoutDigest = false }: MarkPlan) {
  const uri = `data:image/svg+xml;base64,${gzipSync(logo).toString('base64')}`;
  const valueHex = createHash('sha256').update(digested).digest();
  const digest = sequence(sequence(oid('2.16.840.1.101.3.4.2.1')), new OctetString({ valueHex }));
  const details = sequence(
    new IA5String({ value: 'image/svg+xml' }),
    withoutDigest ? sequence() : sequence(digest),
    sequence(new IA5String({ value: uri })),
  );
  return extension('1.3.6.1.5.5.7.1.12', sequence(tagged(2, tagged(0, sequence(sequence(details))))));
}
