/**
 * The chain of trust: from the signature of an answer up, zone by zone, to a trust anchor (RFC 4035 section 5).
 *
 * The path follows the data: the signer's name of an RRSIG is the zone, and the signer's name of the RRSIG of its DS
 * record set, or of the proof that there is none, is its parent. What has no usable signature belongs to the zone that
 * the DS records above it lead to. An answer counts as insecure only if a secure zone proves that there is a delegation
 * without DS records (RFC 4035 section 5.2), or if the DS records use nothing that validators support.
 */
import type { Absent, Answer, Denial, Dns, Found, RecordData, RecordSet, RrsigRecord } from '../dns.ts';
import { isWithin } from '../domain-name.ts';
import { nearestAnchors, type TrustAnchor } from './anchors.ts';
import { setsOfAnswer } from './answer-sets.ts';
import { parentName } from './canonical.ts';
import { judgeDenial, judgeExpansion, type Prover, proofSignatures } from './denial.ts';
import { isSupportedDs } from './dnskey.ts';
import { createEffort, type Effort } from './effort.ts';
import { setOf } from './enclosing-zone.ts';
import { isValidated, type Reason } from './reasons.ts';
import { createVerifier, isExpanded, type Verifier } from './signature.ts';
import {
  type Authentication,
  type Failure,
  failed,
  failedSet,
  type TrustedZone,
  trustedKeys,
  unavailable,
  withReasons,
  worst,
  type ZoneTrust,
} from './trust.ts';

export type { TrustAnchor } from './anchors.ts';
export type { Authentication } from './trust.ts';

export interface Validator {
  /**
   * Validates an answer to a lookup with `{ dnssec: true, checkingDisabled: true }`: all its record sets, or the proof
   * that there are none. Never throws.
   */
  authenticate(answer: Found<unknown> | Absent): Promise<Authentication>;
  /** The reason if the resolver is known to strip DNSSEC records, so that `name` cannot be validated. No lookups. */
  stripped(name: string): StrippedReason | undefined;
  /** Verifies signatures within the limits of the check run. */
  readonly verifier: Verifier;
}

type StrippedReason = Extract<Reason, { code: 'stripped' }>;

/**
 * The zones of trust anchors whose DNSSEC records the resolver strips, with the time (in ms) of the next attempt.
 * Shared by the whole process, so that this is detected once and not for each domain.
 */
export type StrippedZones = Map<string, number>;

interface ValidatorDependencies {
  readonly dns: Dns;
  /** The most specific anchor above a name applies. */
  readonly anchors: readonly TrustAnchor[];
  readonly clock: { now(): Date };
  readonly strippedZones?: StrippedZones;
  /** What validation may cost; that of one check run by default. */
  readonly effort?: Effort;
}

/** Limits: names in one chain, signers of one set, zones in the cache. */
const MAX_NAMES = 16;
const MAX_SIGNERS = 4;
const MAX_REMEMBERED = 256;
/** The maximum time for which the keys of a zone are cached, and the time for everything else, in milliseconds. */
const SECURE_KEPT = 3_600_000;
const OTHER_KEPT = 5_000;
/** A resolver that strips DNSSEC records does so permanently: try again after an hour, in milliseconds. */
const STRIPPED_KEPT = 3_600_000;

/** What came with an answer to prove it. */
interface Evidence {
  readonly signatures: readonly RrsigRecord[];
  /** The lowest zone that can have signed it. */
  readonly lowest: string;
  readonly server: string | undefined;
  /** The reason if nothing usable is signed although the zone is. */
  readonly missing: Reason;
}

/** Creates a validator for one check run, which caches the keys of secure zones for their TTL. */
export function createValidator({
  dns,
  anchors,
  clock,
  strippedZones = new Map(),
  effort = createEffort(),
}: ValidatorDependencies): Validator {
  const remembered = new Map<string, { readonly trust: Promise<ZoneTrust>; until: number }>();
  const verifier = createVerifier(clock, effort);

  function lookup<T extends 'DS' | 'DNSKEY'>(name: string, type: T): Promise<Answer<RecordData[T]>> {
    return dns.lookup(name, type, { dnssec: true, checkingDisabled: true });
  }

  /** The trust in the zone that contains `name`. `depth` is the number of names between it and the answer. */
  function trustIn(name: string, depth: number): Promise<ZoneTrust> {
    const now = clock.now().getTime();
    const known = remembered.get(name);
    if (known !== undefined && known.until > now) return known.trust;
    const entry = {
      trust: depth > MAX_NAMES ? tooDeep(name) : establish(name, depth),
      until: Number.POSITIVE_INFINITY,
    };
    remembered.delete(name);
    remembered.set(name, entry);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MAX_REMEMBERED) break;
      remembered.delete(oldest);
    }
    void entry.trust.then((trust) => {
      const kept = isTrusted(trust) ? Math.min(trust.seconds * 1000, SECURE_KEPT) : OTHER_KEPT;
      entry.until = now + kept;
    });
    return entry.trust;
  }

  async function establish(name: string, depth: number): Promise<ZoneTrust> {
    const nearest = nearestAnchors(anchors, name);
    if (nearest.length === 0) return failed('unknown', { code: 'no-trust-anchor', name });
    if (nearest[0]?.zone === name) return anchored(name, nearest);
    const ds = await lookup(name, 'DS');
    if (ds.status === 'unavailable') return unavailable(name, 'DS', ds);
    // A name with a CNAME record is no delegation (RFC 1034 section 3.6.2).
    if (ds.aliases.length > 0) return trustIn(parentName(name), depth + 1);
    if (ds.status === 'absent') return withoutDs(name, ds, depth);
    const delegation = setOf(ds, name, 'DS');
    if (delegation === undefined) return failed('unknown', { code: 'not-asked', name });
    const [dnskey, delegated] = await Promise.all([
      lookup(name, 'DNSKEY'),
      judge(delegation, parentName(name), depth + 1, ds),
    ]);
    if (isFailure(delegated)) return delegated;
    const usable = ds.records.filter(isSupportedDs);
    if (usable.length === 0) return failed('insecure', { code: 'algorithm-unsupported', zone: name });
    if (dnskey.status === 'unavailable') return unavailable(name, 'DNSKEY', dnskey);
    const keys = setOf(dnskey, name, 'DNSKEY');
    if (keys === undefined) return failed('bogus', { code: 'dnskey-absent', zone: name });
    const source = { ttl: Math.min(keys.ttl, delegation.ttl), server: dnskey.evidence.server };
    const trust = await trustedKeys(name, keys, usable, source, verifier, clock);
    return isTrusted(trust) ? withReasons(trust, [...delegated.reasons, ...trust.reasons]) : trust;
  }

  /** A name without DS records is an unsigned delegation, or in the zone of its parent. */
  async function withoutDs(
    name: string,
    { denial, reason, evidence }: Absent,
    depth: number,
  ): Promise<ZoneTrust> {
    if (denial === undefined || reason === 'invalid-name') {
      const above = await trustIn(parentName(name), depth + 1);
      return isTrusted(above) ? failed('unknown', { code: 'not-asked', name }) : above;
    }
    return bySigner(evidenceOf(denial, evidence.server), depth + 1, async (trust) => {
      // The SOA record of this answer is not part of the chain.
      const sets = denial.sets.filter(({ type }) => type !== 'SOA');
      const proof = await judgeDenial({ ...denial, sets }, reason, proverOf(trust));
      if (proof.status !== 'proven') {
        const isOptOut = proof.status === 'insecure' && proof.reasons[0]?.code === 'opt-out';
        return isOptOut ? failed('insecure', { code: 'ds-absent', zone: name }) : proof;
      }
      return proof.isDelegation ? failed('insecure', { code: 'ds-absent', zone: name }) : trust;
    });
  }

  /** The keys of a zone that has trust anchors. A failure here is a problem of our installation, not of a domain. */
  async function anchored(zone: string, own: readonly TrustAnchor[]): Promise<ZoneTrust> {
    const dnskey = await lookup(zone, 'DNSKEY');
    if (dnskey.status === 'unavailable') return unavailable(zone, 'DNSKEY', dnskey);
    const keys = setOf(dnskey, zone, 'DNSKEY');
    if (keys === undefined || keys.signatures.length === 0) {
      strippedZones.set(zone, clock.now().getTime() + STRIPPED_KEPT);
      return failed('unknown', { code: 'stripped', zone });
    }
    const source = { ttl: keys.ttl, server: dnskey.evidence.server };
    const ds = own.map((anchor) => anchor.ds);
    const trust = await trustedKeys(zone, keys, ds, source, verifier, clock);
    return isTrusted(trust) ? trust : failed('unknown', { code: 'anchor-failed', zone });
  }

  /** Validates one record set. A signature counts only if its signer is `lowest` or an ancestor of it. */
  function judge(
    set: RecordSet,
    lowest: string,
    depth: number,
    { sets, evidence }: Pick<Found<unknown>, 'sets' | 'evidence'>,
  ): Promise<Authentication> {
    const { name, type, signatures } = set;
    const missing = { code: 'set-unsigned', name, type } as const;
    return bySigner({ signatures, lowest, server: evidence.server, missing }, depth, async (trust) => {
      const verdict = await verifier.verify(set, trust.zone, trust.keys);
      if (verdict.status !== 'good') return failedSet(set, verdict);
      const { labels } = verdict.signature;
      const unproven = isExpanded(set, verdict.signature)
        ? await judgeExpansion(set, labels, sets, proverOf(trust))
        : undefined;
      return unproven ?? withReasons({}, trust.reasons);
    });
  }

  /**
   * Judges evidence with the keys of the zone that signed it. Signatures of others spoil nothing: a signer that is not a
   * zone, or whose zone fails, decides only if there is no better one.
   */
  async function bySigner<T extends Authentication>(
    { signatures, lowest, server, missing }: Evidence,
    depth: number,
    judgeWith: (trust: TrustedZone) => Promise<T | Failure>,
  ): Promise<T | Failure> {
    let failure: Failure | undefined;
    for (const signer of signersOf(signatures, lowest)) {
      const trust = await trustIn(signer, depth);
      if (isTrusted(trust) && trust.zone !== signer) continue;
      const judged = isTrusted(trust) ? await judgeWith(trust) : trust;
      if (judged.status !== 'bogus' && judged.status !== 'unknown') return judged;
      failure ??= judged as Failure;
    }
    if (failure !== undefined) return failure;
    const above = await trustIn(lowest, depth + 1);
    if (!isTrusted(above)) return above;
    // One of several resolvers may strip signatures, which is not the fault of the record set.
    const isStripped = signatures.length === 0 && server !== above.server;
    return isStripped ? failed('unknown', { code: 'stripped', zone: lowest }) : failed('bogus', missing);
  }

  function proverOf({ zone, keys }: TrustedZone): Prover {
    return { zone, keys, verifier, effort };
  }

  function stripped(name: string): StrippedReason | undefined {
    const zone = nearestAnchors(anchors, name)[0]?.zone;
    if (zone === undefined || (strippedZones.get(zone) ?? 0) <= clock.now().getTime()) return undefined;
    return { code: 'stripped', zone };
  }

  async function authenticateAbsence({ denial, reason, evidence }: Absent): Promise<Authentication> {
    if (denial === undefined || reason === 'invalid-name')
      return failed('unknown', { code: 'not-asked', name: '' });
    return bySigner(evidenceOf(denial, evidence.server), 0, async (trust) => {
      const proof = await judgeDenial(denial, reason, proverOf(trust));
      return proof.status === 'proven' ? withReasons({}, trust.reasons) : proof;
    });
  }

  return {
    stripped,
    verifier,
    async authenticate(answer) {
      const name = answer.status === 'found' ? answer.name : (answer.denial?.name ?? '');
      const known = stripped(name);
      if (known !== undefined) return failed('unknown', known);
      const sets = setsOfAnswer(answer);
      if (sets === undefined) return failed('unknown', { code: 'not-asked', name });
      const source = {
        sets: answer.status === 'found' ? answer.sets : (answer.denial?.sets ?? []),
        evidence: answer.evidence,
      };
      const judged = sets.map((set) => judge(set, set.name, 0, source));
      return worst(
        await Promise.all([...judged, ...(answer.status === 'absent' ? [authenticateAbsence(answer)] : [])]),
      );
    },
  };
}

/** The records that prove a denial. The parent zone denies DS records (RFC 4035 section 3.1.4.1). */
function evidenceOf({ name, type, sets }: Denial, server: string | undefined): Evidence {
  const lowest = type === 'DS' ? parentName(name) : name;
  const missing = { code: 'denial-broken', name, type, problem: 'unsigned' } as const;
  return { signatures: proofSignatures(sets), lowest, server, missing };
}

/** The zones that claim to have signed something and are allowed to, the lowest one first. */
function signersOf(signatures: readonly RrsigRecord[], lowest: string): string[] {
  const signers = new Set(signatures.map(({ signerName }) => signerName));
  return [...signers]
    .filter((signer) => signer === '' || isWithin(lowest, signer))
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_SIGNERS);
}

function isTrusted(trust: ZoneTrust): trust is TrustedZone {
  return isValidated(trust);
}

function isFailure(judged: Authentication): judged is Failure {
  return !isValidated(judged);
}

async function tooDeep(name: string): Promise<ZoneTrust> {
  return failed('unknown', { code: 'too-deep', name });
}
