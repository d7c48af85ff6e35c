/** Mark certificates for tests: chains with a logo, created in memory (draft-fetch-validation-vmc-wchuang-05). */
import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { bits, context, der, oid, text, time } from '../../lib/local/example-internet/der.ts';

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
  const root = name(['2.5.4.3', 'Mark Root']);
  const issuer = plan.unnamed ? name() : name(['2.5.4.3', 'Mark Issuer']);
  const subject = plan.unnamed
    ? name()
    : name(['2.5.4.10', 'Example, Inc.'], ['1.3.6.1.4.1.53087.1.13', 'Registered Mark']);
  const long = sequence(time(new Date('2020-01-01')), time(new Date('2040-01-01')));
  const alternatives = names.map((value) => context(2, 'primitive', Buffer.from(value)));
  return {
    root: certificate(root, root, rootKeys, rootKeys, long, [authority(true)]),
    issuer: certificate(issuer, root, issuerKeys, rootKeys, long, [
      authority(plan.issuerIsAuthority ?? true),
      usage(issuerUsage),
    ]),
    leaf: certificate(
      subject,
      issuer,
      leafKeys,
      plan.forged ? leafKeys : issuerKeys,
      sequence(time(new Date(plan.validFrom ?? '2026-01-01')), time(new Date(plan.validTo ?? '2027-01-01'))),
      [
        usage(leafUsage),
        extension('2.5.29.17', sequence(...alternatives)),
        ...(plan.withoutLogotype ? [] : [logotype(plan)]),
      ],
    ),
  };
}

type KeyPair = ReturnType<typeof keyPair>;

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function certificate(
  subject: Buffer,
  issuer: Buffer,
  keys: KeyPair,
  signer: KeyPair,
  validity: Buffer,
  extensions: readonly Buffer[],
): string {
  const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
  const body = sequence(
    context(0, 'constructed', der('integer', Buffer.of(2))),
    der('integer', Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    issuer,
    validity,
    subject,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    context(3, 'constructed', sequence(...extensions)),
  );
  const signature = bits(sign('sha256', body, signer.privateKey));
  return new X509Certificate(sequence(body, ecdsaWithSha256, signature)).toString();
}

function name(...attributes: readonly (readonly [type: string, value: string])[]): Buffer {
  return sequence(...attributes.map(([type, value]) => der('set', sequence(oid(type), text(value)))));
}

function authority(isAuthority: boolean): Buffer {
  const constraints = isAuthority ? sequence(der('boolean', Buffer.of(0xff))) : sequence();
  return extension('2.5.29.19', constraints);
}

function usage(purpose: string): Buffer {
  return extension('2.5.29.37', sequence(oid(purpose)));
}

/** LogotypeExtn with one direct subject logo (RFC 9399 section 4.1). */
function logotype({ logo = '<svg/>', digested = logo, withoutDigest = false }: MarkPlan): Buffer {
  const uri = `data:image/svg+xml;base64,${gzipSync(logo).toString('base64')}`;
  const value = der('octets', createHash('sha256').update(digested).digest());
  const digest = sequence(sequence(oid('2.16.840.1.101.3.4.2.1')), value);
  const details = sequence(
    der('ia5', Buffer.from('image/svg+xml')),
    withoutDigest ? sequence() : sequence(digest),
    sequence(der('ia5', Buffer.from(uri))),
  );
  const subjectLogo = context(2, 'constructed', context(0, 'constructed', sequence(sequence(details))));
  return extension('1.3.6.1.5.5.7.1.12', sequence(subjectLogo));
}

function extension(type: string, value: Buffer): Buffer {
  return sequence(oid(type), der('octets', value));
}

function sequence(...content: readonly Buffer[]): Buffer {
  return der('sequence', ...content);
}
