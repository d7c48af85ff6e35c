/** How a zone is signed: what validators accept today, and what its owner should change all the same. */
import type { DsRecord, RecordSet } from '../../protocol/dns.ts';
import {
  delegatedKeys,
  isSupportedAlgorithm,
  isSupportedDs,
  rsaBits,
  type ZoneKey,
} from '../../protocol/dnssec/dnskey.ts';
import { readNsec3 } from '../../protocol/dnssec/nsec3.ts';
import { verdictReasons } from '../../protocol/dnssec/reasons.ts';
import type { Verifier } from '../../protocol/dnssec/signature.ts';
import { dnssecSigningRules, servedProblems } from '../../protocol/findings/dnssec-signing.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import type { ServedSet } from './name-servers.ts';

const raise = raiser(dnssecSigningRules);

/** RFC 6781 section 3.4.2 took 1024 bits to be safe until about 2022. */
const SHORT_BITS = 1024;

interface Signed {
  readonly soa: RecordSet | undefined;
  /** The authority sections of answers that there are no records. */
  readonly denials: readonly RecordSet[];
}

export function signingFindings(
  zone: string,
  keys: readonly ZoneKey[],
  ds: readonly DsRecord[],
  { soa, denials }: Signed,
): readonly Finding[] {
  const short = keys.filter((key) => (rsaBits(key) ?? Number.POSITIVE_INFINITY) <= SHORT_BITS);
  return [
    ...short.map((key) => raise('dnssec-key-short', { keyTag: key.keyTag, bits: rsaBits(key) ?? 0 })),
    ...missingAlgorithms(zone, keys, ds, soa).map((algorithm) =>
      raise('dnssec-algorithm-incomplete', { zone, algorithm }),
    ),
    ...nsec3Findings(zone, denials),
  ];
}

/** Servers whose signatures are not valid, while those of others are; if none are, the record sets themselves are bogus. */
export async function servedFindings(
  zone: string,
  keys: readonly ZoneKey[],
  soas: readonly ServedSet[],
  verifier: Verifier,
): Promise<readonly Finding[]> {
  const judged = await Promise.all(
    soas.map(async ({ server, set }) => {
      const [reason] = verdictReasons(set, await verifier.verify(set, zone, keys));
      return { server, reason };
    }),
  );
  if (judged.every(({ reason }) => reason !== undefined)) return [];
  return judged.flatMap(({ server, reason }) => {
    const problem = servedProblems.find((code) => code === reason?.code);
    return problem === undefined
      ? []
      : [raise('dnssec-server-bogus', { server: excerpt(server), zone, problem })];
  });
}

/** Algorithms to which the parent delegates, but by which the zone is not signed. Without any signature, it is bogus anyway. */
function missingAlgorithms(
  zone: string,
  keys: readonly ZoneKey[],
  ds: readonly DsRecord[],
  soa: RecordSet | undefined,
): readonly number[] {
  const signed = new Set(soa?.signatures.map(({ algorithm }) => algorithm));
  if (signed.size === 0) return [];
  const delegated = delegatedKeys(zone, keys, ds.filter(isSupportedDs)).map(({ algorithm }) => algorithm);
  return [...new Set(delegated)].filter((it) => isSupportedAlgorithm(it) && !signed.has(it));
}

function nsec3Findings(zone: string, denials: readonly RecordSet[]): readonly Finding[] {
  const suffix = `.${zone}`;
  const [first] = denials
    .filter(({ name, type }) => type === 'NSEC3' && name.indexOf('.') === name.length - suffix.length)
    .filter(({ name }) => name.endsWith(suffix))
    .flatMap(readNsec3);
  if (first === undefined || (first.iterations === 0 && first.salt.length === 0)) return [];
  const { iterations, salt } = first;
  return [raise('dnssec-nsec3-parameters', { zone, iterations, saltBytes: salt.length })];
}
