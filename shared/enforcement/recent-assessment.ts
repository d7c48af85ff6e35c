/** The enforcement of a domain for a page: at most an hour old, and never older than a decision or a check. */
import type { AssessmentStore, KeptAssessment } from '../store/enforcement/assessments.ts';
import { type AssessedDomain, assessEnforcement } from './assess.ts';
import type { ReadinessDependencies, SimulationDependencies } from './dependencies.ts';
import { decisionBasis } from './next-policy.ts';
import type { Enforcement } from './shapes.ts';

/** Returns the kept assessment of the last hour, or calculates and keeps a new one. */
export async function recentAssessment(
  domain: AssessedDomain,
  deps: SimulationDependencies &
    ReadinessDependencies & { readonly assessments: AssessmentStore<Enforcement> },
): Promise<KeptAssessment<Enforcement>> {
  const now = deps.clock.now();
  const basis = await basisOf(domain, deps);
  const kept = await deps.assessments.recent(domain.id, basis, now);
  if (kept !== undefined) return kept;
  const assessment = await assessEnforcement(domain, deps);
  await deps.assessments.keep(domain.id, basis, assessment, now);
  return { calculatedAt: now.toISOString(), assessment };
}

/** Equal as long as nothing but reports changes: decisions, attestations, check results and the usage type. */
async function basisOf(
  domain: AssessedDomain,
  { decisions, checks }: SimulationDependencies,
): Promise<string> {
  const [basis, latest] = await Promise.all([decisionBasis(domain, decisions), checks.latest(domain.id)]);
  return `${basis} ${latest?.checkedAt}`;
}
