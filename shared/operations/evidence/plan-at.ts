/** The changes that were recommended at the time of a check run. */
import { planFrom, recompute } from '../../evidence/recompute.ts';
import { emptyPlan, type Plan } from '../../fixes/plan.ts';
import type { EvidenceStore, StoredEvidence } from '../../store/check-runs/evidence.ts';
import type { Domain } from '../../store/domains/domains.ts';
import type { PlanDependencies } from '../fixes/plan-dependencies.ts';
import { planFactsOf } from './plan-facts.ts';

/** Empty if the answers were too large to be kept. */
export async function planAt(
  domain: Domain,
  stored: StoredEvidence,
  { evidence, ...deps }: PlanDependencies & { readonly evidence: Pick<EvidenceStore, 'certificates'> },
  now: Date,
): Promise<Plan> {
  const { usageType, content } = stored;
  const { recording, results } = content;
  if (recording === undefined) return emptyPlan;
  const [certificates, facts] = await Promise.all([
    evidence.certificates(domain.id, stored.certificates),
    planFactsOf(domain, stored, deps, now),
  ]);
  const { lookups } = await recompute(recording, certificates);
  return planFrom({ domain: domain.domain, usageType }, results, lookups, facts);
}
