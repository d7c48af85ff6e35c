/** DKIM key records (RFC 6376 section 3.6.1, RFC 8301 for key sizes and hashes, RFC 8463 for Ed25519). */
import { createPublicKey } from 'node:crypto';
import { dkimRules } from '../findings/dkim.ts';
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, raiser } from '../findings/finding.ts';
import { parseTagList, type Tag } from '../tag-list.ts';

/** Fields are named after their tags. A missing tag has its default value. */
export interface DkimKey {
  /** Every tag that could be parsed, as published. */
  readonly tags: readonly Tag[];
  readonly v: string | null;
  /** Null for a type that verifiers do not support. */
  readonly k: 'rsa' | 'ed25519' | null;
  /** Base64 without whitespace; empty for a revoked key, null if the tag is missing. */
  readonly p: string | null;
  /** Size of the key in bits; null if there is no valid key. */
  readonly size: number | null;
  /** Allowed hash algorithms, in lowercase; null: any. */
  readonly h: readonly string[] | null;
  /** Service types, in lowercase. */
  readonly s: readonly string[];
  /** Flags. `y`: the domain is testing DKIM. `s`: the identity (i=) of a signature must not be in a subdomain. */
  readonly t: readonly string[];
  readonly n: string | null;
}

/** RFC 8301 section 3.2, in bits: verifiers reject smaller RSA keys, and signers should use the recommended size. */
const MIN_RSA_BITS = 1024;
const RECOMMENDED_RSA_BITS = 2048;
/** RFC 8301 section 3.2: verifiers do not have to support larger keys. */
const MAX_RSA_BITS = 4096;
/** RFC 8463 section 4.2: the public key is only these octets, without a structure around them. */
const ED25519_OCTETS = 32;

/** What drafts define, and what is therefore not broken. Records with them are to be ignored (RFC 6376 section 3.6.1). */
const NEXT_VERSION = /^dkim2$/i;
const NEXT_KEY_TYPE = /^ml-?dsa-?(?:44|65|87)?$/;

const raise = raiser(dkimRules);

/** Whether a TXT record at a selector was meant as a key, unlike the record of a wildcard for another protocol. */
export function resemblesDkimKey(text: string): boolean {
  const { tags } = parseTagList(text);
  const version = tags.find(({ name }) => name === 'v')?.value;
  return version === undefined ? tags.some(({ name }) => name === 'p') : /^dkim/i.test(version);
}

/**
 * Parses the key record of `selector`. `findings` reports what is malformed; an error means that verifiers cannot use
 * the key. A revoked key (empty `p`) is not an error.
 */
export function parseDkimKey(
  text: string,
  selector: string,
): { readonly key: DkimKey; readonly findings: readonly Finding[] } {
  const { tags, problems } = parseTagList(text);
  const findings: Finding[] = [];
  const value = (name: string) => tags.find((tag) => tag.name === name)?.value;
  const list = (name: string) =>
    value(name)
      ?.toLowerCase()
      .split(':')
      .map((item) => item.trim());
  const type = (value('k') ?? 'rsa').toLowerCase();
  const k = type === 'rsa' || type === 'ed25519' ? type : null;
  const p = value('p')?.replace(/[ \t\r\n]+/g, '') ?? null;
  const key: DkimKey = {
    tags,
    v: value('v') ?? null,
    k,
    p,
    size: measure(k, p),
    h: list('h') ?? null,
    s: list('s') ?? ['*'],
    t: list('t') ?? [],
    n: value('n') ?? null,
  };
  const malformed = problems.filter(({ kind, text: spec }) => kind !== 'duplicate' && spec !== '');
  const duplicates = problems.filter(({ kind }) => kind === 'duplicate');
  const quoted = (found: typeof problems) => excerpts(found.map((problem) => problem.text));
  if (malformed.length > 0)
    findings.push(raise('dkim-malformed-tags', { selector, tags: quoted(malformed) }));
  if (duplicates.length > 0)
    findings.push(raise('dkim-duplicate-tags', { selector, tags: quoted(duplicates) }));
  if (problems.some((problem) => problem.text === '')) findings.push(raise('dkim-empty-tags', { selector }));
  if (key.v !== null && NEXT_VERSION.test(key.v))
    return { key, findings: [raise('dkim-next-version', { selector })] };
  lintVersion(key, selector, findings);
  lintPublicKey(key, type, selector, findings);
  lintUse(key, selector, findings);
  return { key, findings };
}

/** Size of the public key in bits; null if it is not a key of that type. */
function measure(k: DkimKey['k'], p: string | null): number | null {
  if (k === null || p === null || !isBase64(p)) return null;
  const octets = Buffer.from(p, 'base64');
  if (k === 'ed25519') return octets.length === ED25519_OCTETS ? ED25519_OCTETS * 8 : null;
  return rsaBits(octets, 'spki') ?? rsaBits(octets, 'pkcs1');
}

/** RFC 6376 section 3.6.1 specifies RSAPublicKey (PKCS #1), but everybody publishes SubjectPublicKeyInfo. */
function rsaBits(der: Buffer, type: 'spki' | 'pkcs1'): number | null {
  try {
    const key = createPublicKey({ key: der, format: 'der', type });
    return key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? null) : null;
  } catch {
    return null;
  }
}

function isBase64(text: string): boolean {
  const [, digits] = /^([A-Za-z0-9+/]+)={0,2}$/.exec(text) ?? [];
  return digits !== undefined && digits.length % 4 !== 1;
}

function lintVersion({ v, tags }: DkimKey, selector: string, findings: Finding[]): void {
  if (v === null) findings.push(raise('dkim-missing-version', { selector }));
  else if (v !== 'DKIM1') findings.push(raise('dkim-invalid-version', { selector, version: excerpt(v) }));
  else if (tags[0]?.name !== 'v') findings.push(raise('dkim-version-not-first', { selector }));
}

function lintPublicKey({ k, p, size }: DkimKey, type: string, selector: string, findings: Finding[]): void {
  if (k === null && p !== '' && NEXT_KEY_TYPE.test(type))
    findings.push(raise('dkim-next-key-type', { selector, type }));
  else if (k === null) findings.push(raise('dkim-unknown-key-type', { selector, type: excerpt(type) }));
  if (p === null) findings.push(raise('dkim-missing-key', { selector }));
  else if (p === '') findings.push(raise('dkim-revoked', { selector }));
  else if (k === null) return;
  else if (!isBase64(p)) findings.push(raise('dkim-malformed-base64', { selector }));
  else if (size === null) findings.push(raise('dkim-malformed-key', { selector, type: k }));
  else if (k === 'ed25519') return;
  else if (size < MIN_RSA_BITS) findings.push(raise('dkim-key-too-short', { selector, bits: size }));
  else if (size < RECOMMENDED_RSA_BITS) findings.push(raise('dkim-key-short', { selector, bits: size }));
  else if (size > MAX_RSA_BITS) findings.push(raise('dkim-key-long', { selector, bits: size }));
}

function lintUse({ h, s, t }: DkimKey, selector: string, findings: Finding[]): void {
  if (h !== null && !h.includes('sha256')) {
    findings.push(raise('dkim-no-usable-hash', { selector, hashes: excerpts(h) }));
  }
  if (!s.includes('*') && !s.includes('email')) {
    findings.push(raise('dkim-not-for-email', { selector, services: excerpts(s) }));
  }
  if (t.includes('y')) findings.push(raise('dkim-testing', { selector }));
}
