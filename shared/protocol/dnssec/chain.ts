/**
 * The chain of trust: from the signature of an answer up, zone by zone, to a trust anchor (RFC 4035 section 5).
 *
 * The path follows the data: the signer's name of an RRSIG is the zone, and the signer's name of the RRSIG of the DS
 * record set of that zone is its parent, so zone cuts are never guessed. Each zone takes two concurrent lookups.
 *
 * The validator proves that data is signed. For a *missing* DS record it relies on the NODATA answer of the resolver
 * after it proved that the parent zone is secure; it does not check the NSEC proof. An attacker who can forge that
 * answer can make a signed domain look unsigned, but not the reverse, which is acceptable for a checker that informs
 * owners.
 */
import {
  type Answer,
  type Dns,
  type DsRecord,
  type Found,
  type RecordSet,
  type RecordType,
  type RrsigRecord,
  type Unavailable,
  whyFailed,
} from '../dns.ts';
import { isWithin } from '../domain-name.ts';
import { nearestAnchors, type TrustAnchor } from './anchors.ts';
import { setsOfAnswer } from './answer-sets.ts';
import { parentName } from './canonical.ts';
import { decisive, isSupportedDs, MAX_DS, matchesDs, usesSha1, type ZoneKey, zoneKeys } from './dnskey.ts';
import { type AuthenticationStatus, isValidated, type Reason, verdictReasons } from './reasons.ts';
import { verifySet } from './signature.ts';

export type { TrustAnchor } from './anchors.ts';

export interface Authentication {
  readonly status: AuthenticationStatus;
  /** Empty when secure. */
  readonly reasons: readonly Reason[];
}

export interface Validator {
  /**
   * Validates all record sets of an answer to a lookup with `{ dnssec: true, checkingDisabled: true }`. Never throws.
   */
  authenticate(found: Found<unknown>): Promise<Authentication>;
  /** The reason if the resolver is known to strip DNSSEC records, so that `name` cannot be validated. No lookups. */
  stripped(name: string): StrippedReason | undefined;
}

type StrippedReason = Extract<Reason, { code: 'stripped' }>;

/**
 * The zones of trust anchors whose DNSSEC records the resolver strips, with the time (in ms) of the next attempt.
 * Shared by the whole process, so that this is detected once and not for each domain.
 */
export type StrippedZones = Map<string, number>;

export interface ValidatorDependencies {
  readonly dns: Dns;
  /** The most specific anchor above a name applies. */
  readonly anchors: readonly TrustAnchor[];
  readonly clock: { now(): Date };
  readonly strippedZones?: StrippedZones;
}

/** Limits: zones in one chain, labels to walk to find a zone, zones in the cache. */
const MAX_ZONES = 16;
const MAX_LABELS = 16;
const MAX_REMEMBERED = 256;
/** The maximum time for which the keys of a zone are cached, and the time for everything else, in milliseconds. */
const SECURE_KEPT = 3_600_000;
const OTHER_KEPT = 5_000;
/** A resolver that strips DNSSEC records does so permanently: try again after an hour, in milliseconds. */
const STRIPPED_KEPT = 3_600_000;

const withDnssec = { dnssec: true, checkingDisabled: true } as const;

type ZoneTrust =
  | {
      readonly status: 'secure' | 'deprecated';
      /** The zones of the chain that are signed only with SHA-1 algorithms. */
      readonly reasons: readonly Reason[];
      readonly keys: readonly ZoneKey[];
      readonly seconds: number;
      /** The resolver that returned the keys, and therefore passes signatures on. */
      readonly server: string | undefined;
    }
  | { readonly status: 'insecure' | 'bogus' | 'unknown'; readonly reasons: readonly Reason[] };

/** Creates a validator, which caches the keys of secure zones for their TTL. */
export function createValidator({
  dns,
  anchors,
  clock,
  strippedZones = new Map(),
}: ValidatorDependencies): Validator {
  const remembered = new Map<string, { readonly trust: Promise<ZoneTrust>; until: number }>();

  /** The trust in the keys of `zone`. `depth` is the number of zones between it and the answer. */
  function trustIn(zone: string, depth: number): Promise<ZoneTrust> {
    const now = clock.now().getTime();
    const known = remembered.get(zone);
    if (known !== undefined && known.until > now) return known.trust;
    const entry = {
      trust: depth > MAX_ZONES ? tooDeep(zone) : establish(zone, depth),
      until: Number.POSITIVE_INFINITY,
    };
    remembered.delete(zone);
    remembered.set(zone, entry);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MAX_REMEMBERED) break;
      remembered.delete(oldest);
    }
    void entry.trust.then((trust) => {
      const kept = isValidated(trust) ? Math.min(trust.seconds * 1000, SECURE_KEPT) : OTHER_KEPT;
      entry.until = now + kept;
    });
    return entry.trust;
  }

  async function establish(zone: string, depth: number): Promise<ZoneTrust> {
    const nearest = nearestAnchors(anchors, zone);
    if (nearest.length === 0) return failed('unknown', { code: 'no-trust-anchor', name: zone });
    if (nearest[0]?.zone === zone) return anchored(zone, nearest);
    const [dnskey, ds] = await Promise.all([
      dns.lookup(zone, 'DNSKEY', withDnssec),
      dns.lookup(zone, 'DS', withDnssec),
    ]);
    if (ds.status === 'unavailable') return unavailable(zone, 'DS', ds);
    const delegation = setOf(ds, zone, 'DS');
    if (ds.status === 'absent' || delegation === undefined) {
      const above = await trustAbove(parentName(zone), depth);
      return isValidated(above) ? failed('insecure', { code: 'ds-absent', zone }) : above;
    }
    const delegated = await judge(delegation, parentName(zone), depth + 1, ds.evidence.server);
    if (delegated.status !== 'secure' && delegated.status !== 'deprecated') {
      return { status: delegated.status, reasons: delegated.reasons };
    }
    const usable = strongest(decisive(ds.records.slice(0, MAX_DS).filter(isSupportedDs)));
    if (usable.length === 0) return failed('insecure', { code: 'algorithm-unsupported', zone });
    if (dnskey.status === 'unavailable') return unavailable(zone, 'DNSKEY', dnskey);
    const keys = setOf(dnskey, zone, 'DNSKEY');
    if (keys === undefined) return failed('bogus', { code: 'dnskey-absent', zone });
    const trust = trustedKeys(zone, keys, usable, Math.min(keys.ttl, delegation.ttl), dnskey.evidence.server);
    return isValidated(trust) ? withReasons(trust, [...delegated.reasons, ...trust.reasons]) : trust;
  }

  /** The keys of a zone that has trust anchors. A failure here is a problem of our installation, not of a domain. */
  async function anchored(zone: string, own: readonly TrustAnchor[]): Promise<ZoneTrust> {
    const dnskey = await dns.lookup(zone, 'DNSKEY', withDnssec);
    if (dnskey.status === 'unavailable') return unavailable(zone, 'DNSKEY', dnskey);
    const keys = setOf(dnskey, zone, 'DNSKEY');
    if (keys === undefined || keys.signatures.length === 0) {
      strippedZones.set(zone, clock.now().getTime() + STRIPPED_KEPT);
      return failed('unknown', { code: 'stripped', zone });
    }
    const trust = trustedKeys(
      zone,
      keys,
      decisive(own.map(({ ds }) => ds)),
      keys.ttl,
      dnskey.evidence.server,
    );
    return isValidated(trust) ? trust : failed('unknown', { code: 'anchor-failed', zone });
  }

  /**
   * RFC 4035 section 5.2: the DNSKEY record set is trusted if a key that matches a DS record signed it. Keys with SHA-1
   * algorithms count only if no DS record has another algorithm.
   */
  function trustedKeys(
    zone: string,
    set: RecordSet,
    ds: readonly DsRecord[],
    ttl: number,
    server: string | undefined,
  ): ZoneTrust {
    const isSha1 = ds.every(usesSha1);
    const keys = zoneKeys(set.rdata).filter((key) => isSha1 || !usesSha1(key));
    const entry = keys.filter((key) => ds.some((it) => matchesDs(zone, key, it)));
    if (entry.length === 0) return failed('bogus', { code: 'ds-mismatch', zone });
    const now = clock.now();
    const verdict = verifySet(set, zone, entry, now);
    if (verdict.status !== 'good') return { status: 'bogus', reasons: verdictReasons(set, verdict) };
    const left = verdict.signature.expiration - Math.floor(now.getTime() / 1000);
    const seconds = Math.min(ttl, left);
    const reasons: Reason[] = isSha1 ? [{ code: 'algorithm-deprecated', zone }] : [];
    return withReasons({ keys, seconds, server }, reasons);
  }

  /** Validates one record set. A signature counts only if its signer is `lowestSigner` or an ancestor of it. */
  async function judge(
    set: RecordSet,
    lowestSigner: string,
    depth: number,
    server: string | undefined,
  ): Promise<Authentication> {
    const signer = signerOf(set, lowestSigner);
    if (signer === undefined) {
      const above = await trustAbove(lowestSigner, depth);
      if (!isValidated(above)) return above;
      // One of several resolvers may strip signatures, which is not the fault of the record set.
      if (server !== above.server) return failed('unknown', { code: 'stripped', zone: lowestSigner });
      return failed('bogus', { code: 'set-unsigned', name: set.name, type: set.type });
    }
    const trust = await trustIn(signer, depth);
    if (!isValidated(trust)) return trust;
    const verdict = verifySet(set, signer, trust.keys, clock.now());
    if (verdict.status === 'good') return withReasons({}, trust.reasons);
    return { status: 'bogus', reasons: verdictReasons(set, verdict) };
  }

  async function trustAbove(name: string, depth: number): Promise<ZoneTrust> {
    const zone = await enclosingZone(dns, name);
    return zone.status === 'found' ? trustIn(zone.name, depth + 1) : failed('unknown', zone.reason);
  }

  function stripped(name: string): StrippedReason | undefined {
    const zone = nearestAnchors(anchors, name)[0]?.zone;
    if (zone === undefined || (strippedZones.get(zone) ?? 0) <= clock.now().getTime()) return undefined;
    return { code: 'stripped', zone };
  }

  return {
    stripped,
    async authenticate(found) {
      const known = stripped(found.name);
      if (known !== undefined) return failed('unknown', known);
      const sets = setsOfAnswer(found);
      if (sets === undefined) return failed('unknown', { code: 'not-asked', name: found.name });
      return worst(await Promise.all(sets.map((set) => judge(set, set.name, 0, found.evidence.server))));
    },
  };
}

export type EnclosingZone =
  | { readonly status: 'found'; readonly name: string }
  | { readonly status: 'unknown'; readonly reason: Extract<Reason, { code: 'unavailable' | 'too-deep' }> };

/** The zone that contains `name`: the name itself or its closest ancestor with an SOA record of its own. */
export async function enclosingZone(dns: Dns, name: string): Promise<EnclosingZone> {
  let candidate = name;
  for (let walked = 0; walked < MAX_LABELS; walked += 1) {
    if (candidate === '') return { status: 'found', name: '' };
    const soa = await dns.lookup(candidate, 'SOA', withDnssec);
    if (soa.status === 'unavailable') {
      const reason = whyFailed(soa);
      return { status: 'unknown', reason: { code: 'unavailable', name: candidate, type: 'SOA', reason } };
    }
    if (soa.status === 'found' && soa.aliases.length === 0) return { status: 'found', name: candidate };
    candidate = parentName(candidate);
  }
  return { status: 'unknown', reason: { code: 'too-deep', name } };
}

/** The record set in an answer whose owner is `name` itself. */
export function setOf(answer: Answer<unknown>, name: string, type: RecordType): RecordSet | undefined {
  if (answer.status !== 'found') return undefined;
  return answer.sets.find((set) => set.name === name && set.type === type);
}

/** The zone that claims to have signed `set`, if it is allowed to. */
function signerOf(set: RecordSet, lowest: string): string | undefined {
  const signature = set.signatures.find(
    ({ signerName }: RrsigRecord) => signerName === '' || isWithin(lowest, signerName),
  );
  return signature?.signerName;
}

/** RFC 4509 section 3: SHA-1 digests are ignored if the same delegation has a stronger one. */
function strongest(records: readonly DsRecord[]): readonly DsRecord[] {
  const stronger = records.filter(({ digestType }) => digestType !== 1);
  return stronger.length > 0 ? stronger : records;
}

function worst(all: readonly Authentication[]): Authentication {
  for (const status of ['bogus', 'unknown', 'insecure', 'deprecated'] as const) {
    const those = all.filter((it) => it.status === status);
    if (those.length > 0) return { status, reasons: those.flatMap(({ reasons }) => reasons) };
  }
  return { status: 'secure', reasons: [] };
}

function unavailable(name: string, type: RecordType, answer: Unavailable) {
  return failed('unknown', { code: 'unavailable', name, type, reason: whyFailed(answer) });
}

async function tooDeep(name: string): Promise<ZoneTrust> {
  return failed('unknown', { code: 'too-deep', name });
}

/** What was validated, `deprecated` if there are reasons for it. */
function withReasons<T>(validated: T, reasons: readonly Reason[]) {
  return { ...validated, status: reasons.length === 0 ? 'secure' : 'deprecated', reasons } as const;
}

function failed<S extends 'insecure' | 'bogus' | 'unknown'>(status: S, reason: Reason) {
  return { status, reasons: [reason] } as const;
}
