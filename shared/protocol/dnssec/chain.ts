/**
 * The chain of trust: from the signature of an answer up, zone by zone, to a trust anchor (RFC 4035 section 5).
 *
 * The way up is told by the data: the signer's name of an RRSIG is the zone, and the signer's name of the RRSIG over
 * that zone's DS is its parent, so no zone cut is guessed. A zone costs two questions, asked at once.
 *
 * What is proven here is that data is signed. That a DS is *not* there is taken from the resolver's NODATA once the
 * parent zone is proven secure; its NSEC proof is not checked. Whoever can forge that answer can make a signed domain
 * look unsigned, never the other way round, and a checker that tells the owner has no more to lose.
 */
import type { Answer, Dns, DsRecord, Found, RecordSet, RecordType, RrsigRecord } from '../dns.ts';
import { isWithin } from '../domain-name.ts';
import { nearestAnchors, type TrustAnchor } from './anchors.ts';
import { setsOfAnswer } from './answer-sets.ts';
import { parentName } from './canonical.ts';
import { isSupportedDs, MAX_DS, matchesDs, type ZoneKey, zoneKeys } from './dnskey.ts';
import { type AuthenticationStatus, type Reason, verdictReasons } from './reasons.ts';
import { verifySet } from './signature.ts';

export type { TrustAnchor } from './anchors.ts';

export interface Authentication {
  readonly status: AuthenticationStatus;
  /** Empty when secure. */
  readonly reasons: readonly Reason[];
}

export interface Validator {
  /** Judges an answer that was asked with `{ dnssec: true, checkingDisabled: true }`: all its sets. Never throws. */
  authenticate(found: Found<unknown>): Promise<Authentication>;
  /** Why nothing at `name` can be judged, where the resolver is known to take DNSSEC records away; asks nobody. */
  stripped(name: string): StrippedReason | undefined;
}

type StrippedReason = Extract<Reason, { code: 'stripped' }>;

/**
 * The zones of trust anchors of which the resolver was found to take DNSSEC records away, with the time (in ms) at
 * which it is tried again. One for a whole process, so that it is found out once and not for each domain.
 */
export type StrippedZones = Map<string, number>;

export interface ValidatorParts {
  readonly dns: Dns;
  /** The most specific one above a name decides. */
  readonly anchors: readonly TrustAnchor[];
  readonly clock: { now(): Date };
  readonly strippedZones?: StrippedZones;
}

/** Bounds: zones in one chain, labels walked in search of a zone, zones remembered. */
const MAX_ZONES = 16;
const MAX_LABELS = 16;
const MAX_REMEMBERED = 256;
/** How long the keys of a zone are trusted at most, and how long anything else is remembered, in milliseconds. */
const SECURE_KEPT = 3_600_000;
const OTHER_KEPT = 5_000;
/** A resolver that takes DNSSEC records away is made so, and is tried again after an hour, in milliseconds. */
const STRIPPED_KEPT = 3_600_000;

const asked = { dnssec: true, checkingDisabled: true } as const;

type ZoneTrust =
  | {
      readonly status: 'secure';
      readonly keys: readonly ZoneKey[];
      readonly seconds: number;
      /** The resolver that handed out the keys, and so passes signatures on. */
      readonly server: string | undefined;
    }
  | { readonly status: Exclude<AuthenticationStatus, 'secure'>; readonly reasons: readonly Reason[] };

/** Makes a validator; it remembers the keys of zones it found secure for their TTL. */
export function createValidator({
  dns,
  anchors,
  clock,
  strippedZones = new Map(),
}: ValidatorParts): Validator {
  const remembered = new Map<string, { readonly trust: Promise<ZoneTrust>; until: number }>();

  /** What is to be thought of the keys of `zone`. `depth` counts the zones between it and the answer. */
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
      const kept = trust.status === 'secure' ? Math.min(trust.seconds * 1000, SECURE_KEPT) : OTHER_KEPT;
      entry.until = now + kept;
    });
    return entry.trust;
  }

  async function establish(zone: string, depth: number): Promise<ZoneTrust> {
    const nearest = nearestAnchors(anchors, zone);
    if (nearest.length === 0) return failed('unknown', { code: 'no-trust-anchor', name: zone });
    if (nearest[0]?.zone === zone) return anchored(zone, nearest);
    const [dnskey, ds] = await Promise.all([
      dns.lookup(zone, 'DNSKEY', asked),
      dns.lookup(zone, 'DS', asked),
    ]);
    if (ds.status === 'unavailable') return unavailable(zone, 'DS', ds);
    const delegation = setOf(ds, zone, 'DS');
    if (ds.status === 'absent' || delegation === undefined) {
      const above = await trustAbove(parentName(zone), depth);
      return above.status === 'secure' ? failed('insecure', { code: 'ds-absent', zone }) : above;
    }
    const delegated = await judge(delegation, parentName(zone), depth + 1, ds.evidence.server);
    if (delegated.status !== 'secure') return { status: delegated.status, reasons: delegated.reasons };
    const usable = strongest(ds.records.slice(0, MAX_DS).filter(isSupportedDs));
    if (usable.length === 0) return failed('insecure', { code: 'algorithm-unsupported', zone });
    if (dnskey.status === 'unavailable') return unavailable(zone, 'DNSKEY', dnskey);
    const keys = setOf(dnskey, zone, 'DNSKEY');
    if (keys === undefined) return failed('bogus', { code: 'dnskey-absent', zone });
    return trustedKeys(zone, keys, usable, Math.min(keys.ttl, delegation.ttl), dnskey.evidence.server);
  }

  /** The keys of a zone that has trust anchors of its own. Whatever goes wrong here is ours, not a domain's. */
  async function anchored(zone: string, own: readonly TrustAnchor[]): Promise<ZoneTrust> {
    const dnskey = await dns.lookup(zone, 'DNSKEY', asked);
    if (dnskey.status === 'unavailable') return unavailable(zone, 'DNSKEY', dnskey);
    const keys = setOf(dnskey, zone, 'DNSKEY');
    if (keys === undefined || keys.signatures.length === 0) {
      strippedZones.set(zone, clock.now().getTime() + STRIPPED_KEPT);
      return failed('unknown', { code: 'stripped', zone });
    }
    const trust = trustedKeys(
      zone,
      keys,
      own.map(({ ds }) => ds),
      keys.ttl,
      dnskey.evidence.server,
    );
    return trust.status === 'secure' ? trust : failed('unknown', { code: 'anchor-failed', zone });
  }

  /** RFC 4035 section 5.2: the key set counts when a key that a DS stands for has signed it. */
  function trustedKeys(
    zone: string,
    set: RecordSet,
    ds: readonly DsRecord[],
    ttl: number,
    server: string | undefined,
  ): ZoneTrust {
    const keys = zoneKeys(set.rdata);
    const entry = keys.filter((key) => ds.some((it) => matchesDs(zone, key, it)));
    if (entry.length === 0) return failed('bogus', { code: 'ds-mismatch', zone });
    const now = clock.now();
    const verdict = verifySet(set, zone, entry, now);
    if (verdict.status !== 'good') return { status: 'bogus', reasons: verdictReasons(set, verdict) };
    const left = verdict.signature.expiration - Math.floor(now.getTime() / 1000);
    return { status: 'secure', keys, seconds: Math.min(ttl, left), server };
  }

  /** Judges one set. Signatures count when their signer is `lowestSigner` or above it, and the set's owner below. */
  async function judge(
    set: RecordSet,
    lowestSigner: string,
    depth: number,
    server: string | undefined,
  ): Promise<Authentication> {
    const signer = signerOf(set, lowestSigner);
    if (signer === undefined) {
      const above = await trustAbove(lowestSigner, depth);
      if (above.status !== 'secure') return above;
      // Of several resolvers one may take signatures away: that is no fault of a set that came through it.
      if (server !== above.server) return failed('unknown', { code: 'stripped', zone: lowestSigner });
      return failed('bogus', { code: 'set-unsigned', name: set.name, type: set.type });
    }
    const trust = await trustIn(signer, depth);
    if (trust.status !== 'secure') return trust;
    const verdict = verifySet(set, signer, trust.keys, clock.now());
    if (verdict.status === 'good') return { status: 'secure', reasons: [] };
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

/** The zone that holds `name`: the nearest name, itself included, that has an SOA record of its own. */
export async function enclosingZone(dns: Dns, name: string): Promise<EnclosingZone> {
  let candidate = name;
  for (let walked = 0; walked < MAX_LABELS; walked += 1) {
    if (candidate === '') return { status: 'found', name: '' };
    const soa = await dns.lookup(candidate, 'SOA', asked);
    if (soa.status === 'unavailable') {
      const { reason } = soa;
      return { status: 'unknown', reason: { code: 'unavailable', name: candidate, type: 'SOA', reason } };
    }
    if (soa.status === 'found' && soa.aliases.length === 0) return { status: 'found', name: candidate };
    candidate = parentName(candidate);
  }
  return { status: 'unknown', reason: { code: 'too-deep', name } };
}

/** The set of an answer that is owned by `name` itself. */
export function setOf(answer: Answer<unknown>, name: string, type: RecordType): RecordSet | undefined {
  if (answer.status !== 'found') return undefined;
  return answer.sets.find((set) => set.name === name && set.type === type);
}

/** The zone that says it signed `set`, if it is one that may. */
function signerOf(set: RecordSet, lowest: string): string | undefined {
  const signature = set.signatures.find(
    ({ signerName }: RrsigRecord) => signerName === '' || isWithin(lowest, signerName),
  );
  return signature?.signerName;
}

/** RFC 4509 section 3: SHA-1 digests are not looked at where the same delegation has a stronger one. */
function strongest(records: readonly DsRecord[]): readonly DsRecord[] {
  const stronger = records.filter(({ digestType }) => digestType !== 1);
  return stronger.length > 0 ? stronger : records;
}

function worst(all: readonly Authentication[]): Authentication {
  for (const status of ['bogus', 'unknown', 'insecure'] as const) {
    const those = all.filter((it) => it.status === status);
    if (those.length > 0) return { status, reasons: those.flatMap(({ reasons }) => reasons) };
  }
  return { status: 'secure', reasons: [] };
}

function unavailable(name: string, type: RecordType, answer: { readonly reason: string }) {
  return failed('unknown', { code: 'unavailable', name, type, reason: answer.reason });
}

async function tooDeep(name: string): Promise<ZoneTrust> {
  return failed('unknown', { code: 'too-deep', name });
}

function failed<S extends Exclude<AuthenticationStatus, 'secure'>>(status: S, reason: Reason) {
  return { status, reasons: [reason] } as const;
}
