/**
 * Authority evidence: the chain of a Verified or Common Mark Certificate in PEM
 * (draft-fetch-validation-vmc-wchuang-05). Signatures are verified, not only names compared. A finding lists what is
 * not verified (revocation, certificate transparency, path constraints).
 */
import { createHash, X509Certificate } from 'node:crypto';
import { overdue } from '../certificate-lifetime.ts';
import { canonicalName } from '../domain-name.ts';
import { bimiEvidenceRules } from '../findings/bimi-evidence.ts';
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, hasErrors, raiser } from '../findings/finding.ts';
import { dayAt } from '../time.ts';
import { gunzip, isGzip } from './gunzip.ts';
import { type Logotype, readLogotype } from './logotype.ts';

interface MarkCertificate {
  readonly subject: string;
  readonly issuer: string;
  /** As the issuer wrote it (`Registered Mark`, `Prior Use Mark`, ...); null if it is missing. */
  readonly markType: string | null;
  readonly names: readonly string[];
  readonly validFrom: Date;
  readonly validTo: Date;
}

interface EvidenceVerdict {
  /** Null if no mark certificate could be parsed. */
  readonly certificate: MarkCertificate | null;
  /**
   * `verified`: everything is valid, up to one of the given anchors. `unanchored`: the same without any given anchors,
   * which proves nothing about the issuer. `invalid`: something is not valid.
   */
  readonly trust: 'verified' | 'unanchored' | 'invalid';
  readonly findings: readonly Finding[];
}

export interface ExpectedEvidence {
  readonly selector: string;
  /** The domains that the certificate may be issued for: first that of the record, then the organizational domain. */
  readonly domains: readonly string[];
  /** The uncompressed logo at the URL in the `l` tag; null if it could not be fetched and is not compared. */
  readonly logo: Uint8Array | null;
  /** Trusted roots in PEM, from the configuration. */
  readonly anchors: readonly string[];
  readonly now: Date;
}

/** id-kp-BrandIndicatorforMessageIdentification (section 4.4). */
const BIMI_USAGE = '1.3.6.1.5.5.7.3.31';

/** The subject attribute with the mark type. */
const MARK_TYPE = '1.3.6.1.4.1.53087.1.13';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** Maximum number of certificates in a chain. Real chains have three. */
const MAX_CERTIFICATES = 10;

/** Maximum size of a logo that is decompressed from a certificate. */
const MAX_EMBEDDED_OCTETS = 65_536;

const notVerified = ['revocation', 'certificate transparency', 'name and path length constraints'];

const raise = raiser(bimiEvidenceRules);

/** Checks a file with authority evidence. Never throws. */
export function inspectEvidence(file: Uint8Array, expected: ExpectedEvidence): EvidenceVerdict {
  const text = Buffer.from(file).toString('latin1');
  const unreadable = (detail: string): EvidenceVerdict => ({
    certificate: null,
    trust: 'invalid',
    findings: [raise('bimi-evidence-unreadable', { detail })],
  });
  if (text.split(BEGIN, MAX_CERTIFICATES + 2).length > MAX_CERTIFICATES + 1) {
    return unreadable(`more than ${MAX_CERTIFICATES} certificates`);
  }
  const certificates = readPem(text);
  if (certificates === undefined) return unreadable('one of its certificates cannot be parsed');
  const [leaf, ...more] = certificates.filter((certificate) => !certificate.ca);
  if (leaf === undefined) return unreadable('there is no end-entity certificate');
  if (more.length > 0) return unreadable('there is more than one end-entity certificate');

  const anchors = expected.anchors.flatMap((pem) => readPem(pem) ?? []);
  const chain: Finding[] = [];
  const path = buildPath(leaf, [...certificates, ...anchors], anchors, chain);
  const names = namesOf(leaf);
  const findings = [
    ...chain,
    ...path.flatMap((certificate) => datesOf(certificate, expected.now)),
    ...path.slice(0, 2).flatMap(usageOf),
    ...compareNames(names, expected),
    ...compareLogo(readLogotype(leaf.raw), expected.logo),
  ];
  const anchored = path.some((certificate) => isAmong(certificate, anchors));
  if (anchors.length === 0) findings.push(raise('bimi-evidence-unanchored'));
  else if (!anchored && !hasErrors(chain)) {
    findings.push(raise('bimi-evidence-untrusted', { issuer: displayName(path.at(-1) ?? leaf) }));
  }
  const late = overdue({ validFrom: leaf.validFromDate, validTo: leaf.validToDate }, expected.now);
  if (late !== undefined) {
    findings.push(raise('bimi-evidence-expiring', { date: dayOf(leaf.validToDate), ...late }));
  }
  findings.push(...distrustOf(path, leaf));
  if (!hasErrors(findings)) {
    const what = expected.logo === null ? [...notVerified, 'the match with the served logo'] : notVerified;
    findings.push(raise('bimi-evidence-not-verified', { what }));
  }
  return {
    certificate: {
      subject: displayName(leaf),
      issuer: attributeOf(leaf.issuer, 'CN') ?? wholeName(leaf.issuer),
      markType: attributeOf(leaf.subject, MARK_TYPE) ?? null,
      names,
      validFrom: leaf.validFromDate,
      validTo: leaf.validToDate,
    },
    trust: hasErrors(findings) ? 'invalid' : anchored ? 'verified' : 'unanchored',
    findings,
  };
}

/** Receivers that accept no mark certificates of an issuer after a day. */
const distrusts = [
  {
    // https://www.entrust.com/tls-certificate-information-center/apple-changes-regarding-entrust-roots
    receiver: 'Apple',
    issuer: /^Entrust\b/,
    after: '2024-11-15',
  },
] as const;

function distrustOf(path: readonly X509Certificate[], leaf: X509Certificate): readonly Finding[] {
  const from = dayOf(leaf.validFromDate);
  const organizations = path.flatMap(({ issuer }) => attributeOf(issuer, 'O') ?? []);
  return distrusts.flatMap(({ receiver, issuer, after }) => {
    const named = organizations.find((organization) => issuer.test(organization));
    return named === undefined || from <= after
      ? []
      : [raise('bimi-evidence-distrusted', { issuer: named, from, receiver, after })];
  });
}

/**
 * The certificates from `leaf` up to an anchor, or as far as issuers are available, each signed by the next one
 * (RFC 5280 section 6.1.3 (a)(1)). Adds a finding if the chain is broken.
 */
function buildPath(
  leaf: X509Certificate,
  pool: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  findings: Finding[],
): readonly X509Certificate[] {
  const path = [leaf];
  const broken = (certificate: X509Certificate, detail: string) => {
    findings.push(raise('bimi-evidence-chain-broken', { subject: displayName(certificate), detail }));
    return path;
  };
  for (let current = leaf; !isAmong(current, anchors) && path.length <= MAX_CERTIFICATES; ) {
    if (current.checkIssued(current) && isSignedBy(current, current)) return path;
    const named = pool.filter((candidate) => !isAmong(candidate, path) && current.checkIssued(candidate));
    const issuer = named.find((candidate) => isSignedBy(current, candidate));
    if (issuer === undefined) {
      if (named.length > 0) return broken(current, 'the issuer that it names did not sign it');
      // The file may omit the root (section 3.3), but not the issuer of the leaf.
      return current === leaf ? broken(leaf, 'its issuer is missing') : path;
    }
    if (!issuer.ca) return broken(issuer, 'it is not a CA certificate');
    path.push(issuer);
    current = issuer;
  }
  return path;
}

/** RFC 5280 section 4.1.2.5. An unparsable date makes the certificate invalid. */
function datesOf(certificate: X509Certificate, now: Date): Finding[] {
  const { validFromDate: from, validToDate: to } = certificate;
  if (from <= now && now <= to) return [];
  const subject = displayName(certificate);
  return [raise('bimi-evidence-not-valid-now', { subject, from: dayOf(from), to: dayOf(to) })];
}

/** The leaf and its issuer must have the extended key usage for BIMI (section 4.4). */
function usageOf(certificate: X509Certificate): Finding[] {
  // Node has the extended key usages in this property; it is undefined without the extension.
  const usages: readonly string[] | undefined = certificate.keyUsage;
  if (usages?.includes(BIMI_USAGE)) return [];
  return [raise('bimi-evidence-wrong-usage', { subject: displayName(certificate) })];
}

/** Section 5.2: the certificate is for a whole domain, or for one selector of it. */
function compareNames(names: readonly string[], { selector, domains }: ExpectedEvidence): Finding[] {
  const wanted = domains.flatMap((domain) => [domain, `${selector.toLowerCase()}._bimi.${domain}`]);
  if (names.some((name) => wanted.includes(name))) return [];
  const told = names.length > 0 ? excerpts(names) : ['no domain'];
  return [raise('bimi-evidence-wrong-domain', { domain: domains[0] ?? '', names: told })];
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    // A key type that OpenSSL does not support: the signature cannot be verified.
    return false;
  }
}

function isAmong(certificate: X509Certificate, others: readonly X509Certificate[]): boolean {
  return others.some((other) => other.raw.equals(certificate.raw));
}

/** The logo in the certificate must match its digests and the logo that is served. */
function compareLogo(logotype: Logotype | undefined, served: Uint8Array | null): Finding[] {
  const embedded = logotype === undefined ? undefined : embeddedLogo(logotype.uri);
  if (logotype === undefined || embedded === undefined) {
    return [raise('bimi-evidence-no-logo', { detail: 'the logotype extension contains no readable SVG' })];
  }
  const isStated = ({ algorithm, value }: Logotype['digests'][number]) =>
    createHash(algorithm).update(embedded).digest().equals(value);
  if (logotype.digests.length === 0 || !logotype.digests.every(isStated)) {
    return [raise('bimi-evidence-no-logo', { detail: 'the logo does not match its digest' })];
  }
  const differs = served !== null && Buffer.compare(served, embedded) !== 0;
  return differs ? [raise('bimi-evidence-logo-differs')] : [];
}

/** The decompressed SVG of a base64 `data:` URI (RFC 6170 section 5.2). */
function embeddedLogo(uri: string): Uint8Array | undefined {
  const comma = uri.indexOf(',');
  if (!/^data:image\/svg\+xml[^,]{0,40};base64$/i.test(uri.slice(0, Math.max(comma, 0)))) return undefined;
  const bytes = Buffer.from(uri.slice(comma + 1), 'base64');
  return isGzip(bytes) ? gunzip(bytes, MAX_EMBEDDED_OCTETS) : bytes;
}

/** The certificates in a PEM text (RFC 7468 section 5); undefined if one of them cannot be parsed. */
function readPem(text: string): readonly X509Certificate[] | undefined {
  const blocks = text.split(BEGIN).slice(1);
  try {
    return blocks.map((block) => {
      const end = block.indexOf(END);
      return new X509Certificate(Buffer.from(block.slice(0, Math.max(end, 0)), 'base64'));
    });
  } catch {
    return undefined;
  }
}

/** The DNS names of the certificate. Node quotes ambiguous names, which then match no domain. */
function namesOf({ subjectAltName }: X509Certificate): string[] {
  const entries = (subjectAltName ?? '').split(', ').filter((entry) => entry.startsWith('DNS:'));
  return entries.map((entry) => canonicalName(entry.slice('DNS:'.length)));
}

function dayOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'an invalid date' : dayAt(date);
}

function displayName({ subject }: X509Certificate): string {
  return attributeOf(subject, 'CN') ?? attributeOf(subject, 'O') ?? wholeName(subject);
}

/** Node returns undefined for an empty name (RFC 5280 section 4.1.2.6), despite its types. */
function wholeName(name: string | undefined): string {
  return name === undefined ? '(no name)' : excerpt(name);
}

/** One attribute of a name as Node prints it, with one attribute per line. */
function attributeOf(name: string | undefined, type: string): string | undefined {
  const line = (name ?? '').split('\n').find((candidate) => candidate.startsWith(`${type}=`));
  return line === undefined ? undefined : excerpt(line.slice(type.length + 1).replace(/\\(.)/g, '$1'));
}
