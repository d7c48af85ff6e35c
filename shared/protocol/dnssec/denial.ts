/** Validates the proof that something does not exist with the keys of its zone (RFC 4035 section 5.4, RFC 5155 section 8). */
import type { Denial, RecordSet, RrsigRecord } from '../dns.ts';
import { isWithin } from '../domain-name.ts';
import type { ZoneKey } from './dnskey.ts';
import type { Effort } from './effort.ts';
import { labelsOf } from './names.ts';
import { proveByNsec, provesExpansionByNsec, readNsec } from './nsec.ts';
import { proveByNsec3, proveExpansionByNsec3, readNsec3 } from './nsec3.ts';
import type { Proof, Question } from './proof.ts';
import type { DenialProblem } from './reasons.ts';
import type { SetVerdict, Verifier } from './signature.ts';
import { type Failure, failed } from './trust.ts';

/** A proof needs three sets at most; servers that answer for several zones add some. */
const MAX_PROOF_SETS = 8;

/** The zone that has to prove something, and what verifies its proof. */
export interface Prover {
  readonly zone: string;
  readonly keys: readonly ZoneKey[];
  readonly verifier: Verifier;
  readonly effort: Effort;
}

/** The signatures of the records that can prove absence. */
export function proofSignatures(sets: readonly RecordSet[]): RrsigRecord[] {
  return sets
    .filter(({ type }) => type === 'NSEC' || type === 'NSEC3')
    .flatMap(({ signatures }) => signatures);
}

/** Whether the zone proves the denial. If it does, whether the name is a delegation. */
export async function judgeDenial(
  { name, type, sets }: Denial,
  absence: Question['absence'],
  prover: Prover,
): Promise<{ readonly status: 'proven'; readonly isDelegation: boolean } | Failure> {
  const labels = labelsOf(name);
  const set = { name, type };
  const checked = await validSets(sets, prover);
  if (checked.isSpent) return failed('unknown', { code: 'budget-spent', ...set });
  if (labels === undefined || checked.problem !== undefined)
    return broken(set, checked.problem ?? 'unproven');
  const question = { name: labels, type, absence };
  const zone = labelsOf(prover.zone) ?? [];
  const byNsec = proveByNsec(checked.valid.flatMap(nsecOf), zone, question);
  const proof =
    byNsec.status === 'proven'
      ? byNsec
      : await proveByNsec3(checked.valid.flatMap(nsec3Of), zone, question, prover.effort);
  // A server that answers NXDOMAIN for a name without records says too much, but the type is still absent.
  if (proof.status === 'proven' && (absence === 'no-name' || proof.absence === 'no-data')) return proof;
  return notProven(proof, set, prover.zone) ?? broken(set, 'unproven');
}

/**
 * Whether the zone proves that nothing is closer to the name of `set` than the wildcard below its top `labels` labels
 * (RFC 4035 section 5.3.4, RFC 5155 section 8.8). Undefined if it does.
 */
export async function judgeExpansion(
  set: RecordSet,
  labels: number,
  sets: readonly RecordSet[],
  prover: Prover,
): Promise<Failure | undefined> {
  const name = labelsOf(set.name) ?? [];
  const zone = labelsOf(prover.zone) ?? [];
  const checked = await validSets(
    sets.filter(({ type }) => type !== 'SOA'),
    prover,
  );
  if (checked.isSpent) return failed('unknown', { code: 'budget-spent', name: set.name, type: set.type });
  if (provesExpansionByNsec(checked.valid.flatMap(nsecOf), zone, name, labels)) return undefined;
  const nsec3 = checked.valid.flatMap(nsec3Of);
  const proof = await proveExpansionByNsec3(nsec3, zone, name, labels, prover.effort);
  if (proof.status === 'proven') return undefined;
  const { name: at, type } = set;
  return (
    notProven(proof, { name: at, type }, prover.zone) ??
    failed('bogus', { code: 'expansion-unproven', name: at, type })
  );
}

interface CheckedSets {
  readonly valid: readonly RecordSet[];
  /** Why a set is not valid, if one of them is not. */
  readonly problem: DenialProblem | undefined;
  readonly isSpent: boolean;
}

async function validSets(sets: readonly RecordSet[], { zone, keys, verifier }: Prover): Promise<CheckedSets> {
  const valid: RecordSet[] = [];
  let problem: DenialProblem | undefined;
  const own = sets.filter(({ name, type }) => proofTypes.has(type) && (zone === '' || isWithin(name, zone)));
  for (const set of own.slice(0, MAX_PROOF_SETS)) {
    const verdict = await verifier.verify(set, zone, keys);
    if (verdict.status === 'budget-spent') return { valid, problem, isSpent: true };
    if (verdict.status === 'good') valid.push(set);
    else problem ??= problemOf(verdict);
  }
  return { valid, problem, isSpent: false };
}

const proofTypes: ReadonlySet<string> = new Set(['SOA', 'NSEC', 'NSEC3']);

function problemOf(verdict: Exclude<SetVerdict, { status: 'good' | 'budget-spent' }>): DenialProblem {
  if (verdict.status === 'unsigned') return 'unsigned';
  if (verdict.status === 'too-costly') return 'too-costly';
  return verdict.problems.some(({ problem }) => problem === 'expired') ? 'expired' : 'invalid';
}

const nsecOf = (set: RecordSet) => (set.type === 'NSEC' ? readNsec(set) : []);
const nsec3Of = (set: RecordSet) => (set.type === 'NSEC3' ? readNsec3(set) : []);

function notProven(proof: Proof, set: { name: string; type: string }, zone: string): Failure | undefined {
  switch (proof.status) {
    case 'opt-out':
      return failed('insecure', { code: 'opt-out', ...set });
    case 'iterations':
      return failed('insecure', { code: 'nsec3-iterations', zone, iterations: proof.iterations });
    case 'budget-spent':
      return failed('unknown', { code: 'budget-spent', ...set });
    default:
      return undefined;
  }
}

function broken(set: { name: string; type: string }, problem: DenialProblem): Failure {
  return failed('bogus', { code: 'denial-broken', ...set, problem });
}
