/**
 * Verifies evidence without a network: the signature, then each finding, the score and the plan from the recorded answers, the DNSSEC
 * proofs and the certificate chains. Nothing in it is trusted but the public key that the caller gives.
 */
import { createHash } from 'node:crypto';
import { base64url, calculateJwkThumbprint, flattenedVerify, importJWK } from 'jose';
import * as z from 'zod/mini';
import { type Certificates, toJson } from '../checks/recording/recorded.ts';
import { UnreadableRecording } from '../checks/recording/replay.ts';
import { RELEASE } from '../checks/release.ts';
import { checkNames } from '../checks/state.ts';
import { printTrustAnchors, rootAnchors } from '../protocol/dnssec/anchors.ts';
import { computeScore } from '../score/score.ts';
import { canonicalJson, NotCanonical } from './canonical.ts';
import { type DnssecProof, dnssecProofs } from './dnssec-proofs.ts';
import { type Evidence, evidence, type SignedEvidence, signedEvidence } from './document.ts';
import { planFrom, recompute, type TlsProof, tlsProofs, withLastKnown } from './recompute.ts';
import { algorithms, type PublicJwk, publicJwk, TYPE, withLowS } from './signature.ts';
import { readCertificates } from './trust-path.ts';

/** Of a usual domain, evidence has about 100 KB. */
export const MAX_EVIDENCE_OCTETS = 4_000_000;

/** What was computed again. */
export interface Comparison {
  /** The name of a check, `score` or `plan`. */
  readonly what: string;
  /**
   * `other-release`: it differs, and this is not the release that made the evidence. `unknown`: the recorded answers cannot decide.
   */
  readonly verdict: 'same' | 'differs' | 'other-release' | 'unknown';
  /** Why it is unknown, as a sentence without a final period. */
  readonly why?: string;
}

export interface Verified {
  readonly ok: true;
  readonly domain: string;
  readonly checkedAt: string;
  readonly issuer: string;
  readonly issuedAt: string;
  /** The release that made the evidence, and the one that verifies it. */
  readonly release: string;
  readonly verifiedBy: string;
  /** The ID of the key that signed it. */
  readonly kid: string;
  readonly comparisons: readonly Comparison[];
  readonly dnssec: readonly DnssecProof[];
  /** The trust anchors of these proofs, as DS records; whether they are those of IANA for the root. */
  readonly anchors: { readonly records: string; readonly isIana: boolean };
  readonly tls: readonly TlsProof[];
  /** Questions of the checks that were not recorded. */
  readonly missing: readonly string[];
}

export type Verification =
  | Verified
  /** Why nothing of the evidence can be relied on, as a sentence without a final period. */
  | { readonly ok: false; readonly problem: string };

const keySet = z.object({ keys: z.array(z.unknown()) });

/** The keys in a JSON Web Key Set (RFC 7517 section 5) that can verify evidence; undefined if it is none. */
export function readKeySet(text: string): readonly PublicJwk[] | undefined {
  const { success, data } = z.safeParse(keySet, parsed(text));
  if (!success) return undefined;
  return data.keys.flatMap((key) => {
    const read = z.safeParse(publicJwk, key);
    return read.success ? [read.data] : [];
  });
}

/** Verifies a file with evidence, exactly as the service answered it. Never throws because of its content. */
export async function verifyEvidence(file: string, keys: readonly PublicJwk[]): Promise<Verification> {
  const failed = (problem: string) => ({ ok: false, problem }) as const;
  if (file.length > MAX_EVIDENCE_OCTETS) return failed('the file is too large');
  const text = file.endsWith('\n') ? file.slice(0, -1) : file;
  const { data: signed } = z.safeParse(signedEvidence, parsed(text));
  if (signed === undefined) return failed('the file is no evidence');
  try {
    if (canonicalJson(signed) !== text) return failed('the file was changed: it is not canonical JSON');
    const kid = await signerOf(signed, keys);
    if (kid === undefined) return failed('the signature is not valid, or its key is not in the key set');
    const { data: stated } = z.safeParse(evidence, signed.evidence);
    if (stated === undefined) return failed('the evidence has another format');
    return await verifyContent(stated, signed.evidence, kid);
  } catch (error) {
    if (error instanceof NotCanonical || error instanceof UnreadableRecording) return failed(error.message);
    throw error;
  }
}

async function verifyContent(
  stated: Evidence,
  written: Readonly<Record<string, unknown>>,
  kid: string,
): Promise<Verification> {
  const { domain, checkedAt, issuer, issuedAt, release, recording } = stated;
  const contradiction = contradictionIn(stated);
  if (contradiction !== undefined) return { ok: false, problem: contradiction };
  const certificates = readCertificateMap(stated);
  if (certificates === undefined) return { ok: false, problem: 'a certificate has another hash' };
  const about = { ok: true, domain, checkedAt, issuer, issuedAt, release, verifiedBy: RELEASE, kid } as const;
  const compare = (what: string, computed: unknown, given: unknown): Comparison => {
    const isSame = canonicalJson(toJson(computed)) === canonicalJson(given ?? null);
    const differs = release === RELEASE ? 'differs' : 'other-release';
    return { what, verdict: isSame ? 'same' : differs };
  };
  if (recording === undefined) {
    const why = 'the answers were too large to be kept';
    const comparisons = [
      ...checkNames.map((name) => unknown(name, why)),
      compare('score', computeScore(stated.results, stated.usageType).score, stated.score),
      unknown('plan', why),
    ];
    const anchors = { records: '', isIana: false };
    return { ...about, comparisons, dnssec: [], anchors, tls: [], missing: [] };
  }
  const roots = readCertificates([...new Set(stated.roots)].flatMap((hash) => certificates.get(hash) ?? []));
  const { results, lookups, missing } = await recompute(recording, certificates);
  const writtenResults = recordOf(written.results);
  const complete = withLastKnown(results, stated);
  const compared = checkNames.map((name) => {
    const { asOf } = complete[name];
    if (asOf === undefined) return compare(name, results[name], writtenResults[name]);
    return unknown(name, `a lookup failed, and the last known result of ${asOf} stands in`);
  });
  const isOld = compared.some(({ verdict }) => verdict === 'unknown');
  const dependent = (one: Comparison) =>
    isOld && one.verdict === 'same' ? unknown(one.what, 'it depends on a last known result') : one;
  const records = printTrustAnchors(recording.trust.dnssec);
  const { plan } = stated;
  const recommended = plan && (await planFrom(stated, complete, lookups, plan.facts));
  return {
    ...about,
    comparisons: [
      ...compared,
      dependent(compare('score', computeScore(complete, stated.usageType).score, stated.score)),
      recommended === undefined
        ? unknown('plan', 'the evidence has none')
        : dependent(compare('plan', recommended, recordOf(written.plan).recommended)),
    ],
    dnssec: await dnssecProofs(recording, certificates),
    anchors: { records, isIana: records === printTrustAnchors(rootAnchors) },
    tls: tlsProofs(recording, certificates, roots),
    missing,
  };
}

/** What the head of evidence says otherwise than its recording, as a sentence without a final period. */
function contradictionIn({ domain, checkedAt, issuedAt, recording }: Evidence): string | undefined {
  if (recording === undefined) return undefined;
  const { question, startedAt, endedAt } = recording;
  if (domain !== question.domain) return 'the recorded answers are about another domain';
  const [checked, started, ended, issued] = [checkedAt, startedAt, endedAt, issuedAt].map(Date.parse);
  if (checked !== started) return 'the recorded answers are of another time';
  const isInOrder = Number(started) <= Number(ended) && Number(ended) <= Number(issued);
  return isInOrder ? undefined : 'the check run ended before it started, or after the evidence was signed';
}

const unknown = (what: string, why: string): Comparison => ({ what, verdict: 'unknown', why });

/** The ID of the key that signed; undefined if none of the keys did. */
async function signerOf(
  { evidence: content, signature }: SignedEvidence,
  keys: readonly PublicJwk[],
): Promise<string | undefined> {
  const [protectedHeader = '', detached, value = '', ...more] = signature.split('.');
  if (detached !== '' || more.length > 0 || !isExact(value) || !isExact(protectedHeader)) return undefined;
  const octets = Buffer.from(value, 'base64url');
  const payload = base64url.encode(canonicalJson(content));
  for (const key of keys) {
    try {
      // Who relies on an ID relies on the key: nobody else can have it (RFC 7638).
      if ((await calculateJwkThumbprint({ ...key })) !== key.kid) continue;
      if (key.alg === 'ES256' && !octets.equals(withLowS(octets))) continue;
      const jws = { protected: protectedHeader, payload, signature: value };
      const options = { algorithms: [key.alg] };
      const { protectedHeader: header } = await flattenedVerify(
        jws,
        await importJWK({ ...key }, key.alg),
        options,
      );
      const isKnown = header?.typ === TYPE && header.kid === key.kid && header.alg === key.alg;
      if (isKnown && algorithms.includes(key.alg)) return key.kid;
    } catch {
      // Of another key, or of none.
    }
  }
  return undefined;
}

/** Base64url has several texts for the same octets; only the one that encoders write counts. */
const isExact = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;

function readCertificateMap({ certificates }: Evidence): Certificates | undefined {
  const read = Object.entries(certificates).map(
    ([hash, der]) => [hash, Uint8Array.from(Buffer.from(der, 'base64'))] as const,
  );
  const isRight = read.every(([hash, der]) => createHash('sha256').update(der).digest('hex') === hash);
  return isRight ? new Map(read) : undefined;
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
