/** Computes again what evidence says, from its recorded answers alone. */
import type { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { mapResults } from '../checks/checks.ts';
import { keepLastKnown } from '../checks/last-known.ts';
import { recordLookups } from '../checks/record-lookups.ts';
import type { RecordedLookups } from '../checks/recorded-lookups.ts';
import type { Certificates, RecordedCertificate, Recording } from '../checks/recording/recorded.ts';
import { repeatChecks } from '../checks/recording/replay.ts';
import type { CheckResults } from '../checks/results.ts';
import type { UsageType } from '../checks/state.ts';
import { makePlan, type Plan } from '../fixes/plan.ts';
import type { PlanFacts } from './document.ts';
import { readCertificates, trustPath } from './trust-path.ts';

export interface Recomputed {
  /** What the checks say about the recorded answers. */
  readonly results: CheckResults;
  /** The same lookups as a plan needs them. */
  readonly lookups: RecordedLookups;
  /** Questions of the checks that were not recorded, in words. */
  readonly missing: readonly string[];
}

/** Runs the checks again. @throws UnreadableRecording */
export async function recompute(recording: Recording, certificates: Certificates): Promise<Recomputed> {
  let lookups: () => RecordedLookups = () => [];
  const repeated = await repeatChecks(recording, certificates, (network) => {
    const recorded = recordLookups(network.dns);
    lookups = recorded.lookups;
    const { label } = network.dns;
    return { ...network, dns: { ...recorded.dns, ...(label && { label }) } };
  });
  return { ...repeated, lookups: lookups() };
}

/**
 * The results of the check run as they were stored: where a check lacked an answer, a last known result may stand in, which is older than
 * the recorded answers. It counts only where the check run would have kept it.
 */
export function withLastKnown(
  results: CheckResults,
  { results: stored, checkedAt }: { readonly results: CheckResults; readonly checkedAt: string },
): CheckResults {
  const now = new Date(checkedAt);
  const kept = keepLastKnown(results, { checkedAt, results: stored }, now);
  return mapResults(results, (name, result) => {
    const { asOf } = stored[name];
    const isOlder = asOf !== undefined && Date.parse(asOf) < now.getTime();
    return isOlder && kept[name].asOf !== undefined ? stored[name] : result;
  });
}

/** The recommended changes, from results and from what is known beside them. */
export const planFrom = (
  { domain, usageType }: { readonly domain: string; readonly usageType: UsageType },
  results: CheckResults,
  lookups: RecordedLookups,
  { mailbox, senders, ...facts }: PlanFacts,
): Promise<Plan> =>
  makePlan({
    ...{ domain, usageType, ...facts, results, lookups },
    mailbox: mailbox ?? undefined,
    senders: senders === null ? undefined : async () => senders,
  });

/** A chain of certificates that a host served, and whether it leads to a root as the check run saw it. */
export interface TlsProof {
  readonly host: string;
  /** `unknown`: there is no root for it among the evidence, or it was not trusted for a reason that is not verified here. */
  readonly verdict: 'verified' | 'refuted' | 'unknown';
  readonly detail: string;
  /** It is verified up to a root of the service, which Node.js does not have among the public ones. */
  readonly isOwnRoot?: true;
}

/** Certificates of a chain that are read; servers send up to about five. */
const MAX_CHAIN = 32;
const POLICY_PATH = '/.well-known/mta-sts.txt';

/** Verifies each chain that counted as trusted, and each name that counted as matching. */
export function tlsProofs(
  { answers, startedAt, endedAt }: Recording,
  certificates: Certificates,
  roots: readonly X509Certificate[],
): readonly TlsProof[] {
  const read = (hashes: readonly string[]) =>
    readCertificates(
      [...new Set(hashes)].slice(0, MAX_CHAIN).flatMap((hash) => certificates.get(hash) ?? []),
    );
  const judge = (host: string, shown: RecordedCertificate, anchors?: readonly string[]): TlsProof => {
    const chain = read(shown.chain);
    const [leaf] = chain;
    if (leaf === undefined) return { host, verdict: 'unknown', detail: 'no certificate can be read' };
    const dates = [shown.validFrom, shown.validTo].map(Date.parse);
    if (leaf.validFromDate.getTime() !== dates[0] || leaf.validToDate.getTime() !== dates[1])
      return { host, verdict: 'refuted', detail: 'the certificate has other dates' };
    const isInTime =
      new Date(leaf.validFrom) <= new Date(endedAt) && new Date(startedAt) <= new Date(leaf.validTo);
    if (shown.trusted && !isInTime)
      return { host, verdict: 'refuted', detail: 'the certificate was not valid at that time' };
    const isNamed = leaf.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined;
    if (isNamed !== shown.matchesName)
      return { host, verdict: 'refuted', detail: 'the certificate does not match the name as recorded' };
    const trusted = anchors === undefined ? roots : read(anchors);
    // The handshake was at some time between them.
    const path = [endedAt, startedAt]
      .map((time) => trustPath(chain, trusted, new Date(time)))
      .find((found) => found !== undefined);
    if (path !== undefined && shown.trusted) {
      const root = path.at(-1);
      const isOwn = anchors === undefined && !isPublic(root) && { isOwnRoot: true as const };
      return { host, verdict: 'verified', detail: `up to ${describeRoot(root)}`, ...isOwn };
    }
    if (path !== undefined)
      return { host, verdict: 'unknown', detail: `recorded as not trusted: ${shown.untrustedReason}` };
    return shown.trusted
      ? { host, verdict: 'unknown', detail: 'the evidence has no root for it' }
      : { host, verdict: 'verified', detail: `not trusted: ${shown.untrustedReason}` };
  };
  const verify = (host: string, ...served: [RecordedCertificate, (readonly string[])?]): TlsProof => {
    try {
      return judge(host, ...served);
    } catch {
      return { host, verdict: 'unknown', detail: 'the name or a certificate cannot be read' };
    }
  };
  return [
    ...answers.https.flatMap(({ url, answer }) => {
      if (!('certificate' in answer) || answer.certificate === undefined) return [];
      const [asked = url, served = answer.evidence.url] = [url, answer.evidence.url].map(
        (one) => URL.parse(one)?.hostname,
      );
      const proof = verify(served, answer.certificate);
      if (served === asked) return [proof];
      const host = `${asked}, redirected to ${served}`;
      // RFC 8461 section 3.3: policies are not redirected.
      return url.endsWith(POLICY_PATH)
        ? [{ host, verdict: 'unknown' as const, detail: 'this request must not be redirected' }]
        : [{ ...proof, host }];
    }),
    ...answers.smtp.flatMap(({ hostname, trustAnchors, answer }) =>
      answer.status === 'found' && answer.starttls.status === 'established'
        ? [verify(hostname, answer.starttls.certificate, trustAnchors)]
        : [],
    ),
  ];
}

/** The service chose the roots: the verifier says which of them it knows itself. */
function describeRoot(root: X509Certificate | undefined): string {
  if (root === undefined) return '';
  const name = root.subject.replaceAll('\n', ', ');
  return isPublic(root) ? name : `${name}, which is no public root`;
}

function isPublic(root: X509Certificate | undefined): boolean {
  const pem = root?.toString().trim();
  return rootCertificates.some((known) => known.trim() === pem);
}
