/** Makes the evidence of a check run from what was stored of it. */
import { createHash, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import {
  type Certificates,
  type RecordedCertificate,
  type Recording,
  toJson,
} from '../checks/recording/recorded.ts';
import type { CheckResults } from '../checks/results.ts';
import type { UsageType } from '../checks/state.ts';
import { computeScore } from '../score/score.ts';
import { type EvidenceJson, FORMAT, type PlanFacts, type ReportFigures } from './document.ts';
import { planFrom, recompute } from './recompute.ts';
import { readCertificates, trustPath } from './trust-path.ts';

/** What is known of a check run. */
export interface KnownRun {
  readonly domain: string;
  readonly usageType: UsageType;
  readonly checkedAt: string;
  readonly release: string;
  readonly results: CheckResults;
  readonly recording?: Recording | undefined;
  readonly certificates: Certificates;
  readonly facts: PlanFacts;
  readonly reports?: ReportFigures | undefined;
}

/** @param extraRoots Further trusted authorities of the service (PEM). */
export async function makeEvidence(
  { certificates, facts, reports, recording, ...run }: KnownRun,
  { issuer, issuedAt }: { readonly issuer: string; readonly issuedAt: Date },
  extraRoots: readonly string[] = [],
): Promise<EvidenceJson> {
  const roots = recording === undefined ? [] : rootsOf(recording, certificates, extraRoots);
  const shown = new Map([...certificates, ...roots]);
  const plan = recording && {
    facts,
    recommended: await planFrom(run, run.results, (await recompute(recording, certificates)).lookups, facts),
  };
  const { domain, usageType, checkedAt, release, results } = run;
  return toJson({
    ...{ format: FORMAT, issuer, issuedAt, domain, usageType, checkedAt, release, results },
    score: computeScore(results, usageType).score,
    ...{ recording, plan, reports },
    certificates: Object.fromEntries(
      [...shown].map(([hash, der]) => [hash, Buffer.from(der).toString('base64')]),
    ),
    roots: roots.map(([hash]) => hash),
  }) as EvidenceJson;
}

/** The roots that Node.js trusts, read once. */
let publicRoots: readonly X509Certificate[] | undefined;

const readPem = (pem: string): X509Certificate => new X509Certificate(pem);

/** The roots at which the trusted chains of a recording end, by their hash. */
function rootsOf(
  recording: Recording,
  certificates: Certificates,
  extraRoots: readonly string[],
): readonly (readonly [string, Uint8Array])[] {
  const extra = extraRoots.map(readPem);
  const found = publicChains(recording).flatMap(({ chain }) => {
    publicRoots ??= rootCertificates.map(readPem);
    const candidates = [...extra, ...publicRoots];
    const read = readCertificates(chain.flatMap((hash) => certificates.get(hash) ?? []));
    return trustPath(read, candidates, new Date(recording.startedAt))?.at(-1) ?? [];
  });
  return [...new Map(found.map(({ raw }) => [hashOf(raw), Uint8Array.from(raw)]))];
}

function publicChains({ answers }: Recording): readonly RecordedCertificate[] {
  const served = [
    ...answers.https.flatMap(({ answer }) => (answer.status === 'found' ? [answer.certificate] : [])),
    ...answers.smtp.flatMap(({ trustAnchors, answer }) =>
      trustAnchors === undefined && answer.status === 'found' && answer.starttls.status === 'established'
        ? [answer.starttls.certificate]
        : [],
    ),
  ];
  return served.filter(({ trusted }) => trusted);
}

const hashOf = (der: Uint8Array): string => createHash('sha256').update(der).digest('hex');
