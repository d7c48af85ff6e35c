/** Opens and closes the attention items that an assessment decides about. */
import { type About, aboutNothing } from '../attention/kinds.ts';
import type { AttentionChanges, Conditions, Held } from '../store/attention-changes.ts';
import type { DomainItem } from '../store/attention-items.ts';
import type { CheckStore } from '../store/check-runs/checks.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import type { Domain } from '../store/domains/domains.ts';
import { isRegistered } from '../store/domains/writes.ts';
import { isAssessedAt, type NextPolicy } from '../store/enforcement/next-policies.ts';
import { nextPolicyOf } from './next-policy.ts';

type NextPolicyDependencies = Parameters<typeof nextPolicyOf>[2];

interface AssessmentDependencies extends NextPolicyDependencies {
  readonly attention: Pick<AttentionChanges, 'open' | 'apply'>;
  readonly checks: Pick<CheckStore, 'latest'>;
}

/** Settles the items of an assessment, which can be an earlier one: what a crash prevented happens now. */
export async function applyAssessment(
  domain: Domain,
  next: NextPolicy,
  deps: AssessmentDependencies,
  now: Date,
): Promise<void> {
  const open = await deps.attention.open(domain.id);
  const conditions: Conditions = {
    'sender-failing': heldIfAny(next.failing, next),
    'sender-undecided': heldIfAny(next.undecided, next),
    'ready-for-next-step': await readiness(domain, next, open, deps, now),
  };
  const guard = [isRegistered(domain), isAssessedAt(domain.id, next.assessedAt)];
  await deps.attention.apply(domain, open, conditions, { guard, now });
}

/** What assessments decide about, and what holds for none without reports. */
const NONE: Conditions = { 'sender-failing': null, 'sender-undecided': null, 'ready-for-next-step': null };

/** Whether an assessment can close an item, so that a domain whose reports stopped is still assessed. */
export const hasAssessedItem = async (
  { id }: DomainReference,
  { attention }: Pick<AssessmentDependencies, 'attention'>,
): Promise<boolean> => (await attention.open(id)).some(({ kind }) => Object.hasOwn(NONE, kind));

/** Closes the items of a domain without reports: nothing is known about its senders. */
export async function applyNoReports(
  domain: DomainReference,
  { attention }: Pick<AssessmentDependencies, 'attention'>,
  now: Date,
): Promise<void> {
  const open = await attention.open(domain.id);
  await attention.apply(domain, open, NONE, { guard: [isRegistered(domain)], now });
}

const heldIfAny = (about: About, { assessedAt }: NextPolicy): Held | null =>
  about.names.length === 0 ? null : { since: assessedAt, about };

/** The domain can have published the record since the assessment: an item opens only if the assessment still holds. */
async function readiness(
  domain: Domain,
  { policy, assessedAt }: NextPolicy,
  open: readonly DomainItem[],
  deps: AssessmentDependencies,
  now: Date,
): Promise<Held | null> {
  if (policy === null) return null;
  const held = { since: assessedAt, about: { ...aboutNothing, names: [policy] } };
  if (open.some(({ kind }) => kind === 'ready-for-next-step')) return held;
  const checks = await deps.checks.latest(domain.id);
  const isCurrent =
    checks !== undefined && (await nextPolicyOf(domain, checks.results, deps, now)) === policy;
  return isCurrent ? held : null;
}
