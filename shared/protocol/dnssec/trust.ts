/** The results of validation: of an answer, and of the keys of a zone. */
import { type DsRecord, type RecordSet, type RecordType, type Unavailable, whyFailed } from '../dns.ts';
import { decisive, delegatedKeys, usesSha1, type ZoneKey, zoneKeys } from './dnskey.ts';
import { type AuthenticationStatus, type Reason, verdictReasons } from './reasons.ts';
import type { Verifier } from './signature.ts';

export interface Authentication {
  readonly status: AuthenticationStatus;
  /** Empty when secure. */
  readonly reasons: readonly Reason[];
}

export interface Failure extends Authentication {
  readonly status: 'insecure' | 'bogus' | 'unknown';
}

/** The keys of a zone that are valid. */
export interface TrustedZone extends Authentication {
  readonly status: 'secure' | 'deprecated';
  readonly zone: string;
  readonly keys: readonly ZoneKey[];
  /** How long the keys can be cached. */
  readonly seconds: number;
  /** The resolver that returned the keys, and therefore passes signatures on. */
  readonly server: string | undefined;
}

export type ZoneTrust = TrustedZone | Failure;

export function failed<S extends Failure['status']>(status: S, reason: Reason) {
  return { status, reasons: [reason] } as const;
}

/** What was validated, `deprecated` if there are reasons for it. */
export function withReasons<T>(validated: T, reasons: readonly Reason[]) {
  return { ...validated, status: reasons.length === 0 ? 'secure' : 'deprecated', reasons } as const;
}

export function unavailable(name: string, type: RecordType, answer: Unavailable): Failure {
  return failed('unknown', { code: 'unavailable', name, type, reason: whyFailed(answer) });
}

/** The status of an answer with several record sets. */
export function worst(all: readonly Authentication[]): Authentication {
  for (const status of ['bogus', 'unknown', 'insecure', 'deprecated'] as const) {
    const those = all.filter((it) => it.status === status);
    if (those.length > 0) return { status, reasons: those.flatMap(({ reasons }) => reasons) };
  }
  return { status: 'secure', reasons: [] };
}

/**
 * RFC 4035 section 5.2: the DNSKEY record set is trusted if a key that matches a DS record signed it. Keys with SHA-1
 * algorithms count only if no DS record has another algorithm.
 */
export async function trustedKeys(
  zone: string,
  set: RecordSet,
  ds: readonly DsRecord[],
  source: { readonly ttl: number; readonly server: string | undefined },
  verifier: Verifier,
  clock: { now(): Date },
): Promise<ZoneTrust> {
  const usable = strongest(decisive(ds));
  const isSha1 = usable.every(usesSha1);
  const keys = zoneKeys(set.rdata).filter((key) => isSha1 || !usesSha1(key));
  const entry = delegatedKeys(zone, keys, usable);
  if (entry.length === 0) return failed('bogus', { code: 'ds-mismatch', zone });
  const verdict = await verifier.verify(set, zone, entry);
  if (verdict.status !== 'good') return failedSet(set, verdict);
  const left = verdict.signature.expiration - Math.floor(clock.now().getTime() / 1000);
  const reasons: Reason[] = isSha1 ? [{ code: 'algorithm-deprecated', zone }] : [];
  return withReasons({ zone, keys, seconds: Math.min(source.ttl, left), server: source.server }, reasons);
}

/** The failure that the verdict on a record set means. */
export function failedSet(set: RecordSet, verdict: Parameters<typeof verdictReasons>[1]): Failure {
  const status = verdict.status === 'budget-spent' ? 'unknown' : 'bogus';
  return { status, reasons: verdictReasons(set, verdict) };
}

/** RFC 4509 section 3: SHA-1 digests are ignored if the same delegation has a stronger one. */
function strongest(records: readonly DsRecord[]): readonly DsRecord[] {
  const stronger = records.filter(({ digestType }) => digestType !== 1);
  return stronger.length > 0 ? stronger : records;
}
