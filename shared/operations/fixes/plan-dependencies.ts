import type { CheckStore } from '../../store/check-runs/checks.ts';
import type { EvidenceStore } from '../../store/check-runs/evidence.ts';
import type { DecisionStore } from '../../store/enforcement/decisions.ts';
import type { NextPolicyStore } from '../../store/enforcement/next-policies.ts';
import type { ReportedMailStores } from './reported-mail.ts';

export interface PlanDependencies extends ReportedMailStores {
  readonly checks: Pick<CheckStore, 'latest' | 'latestWithLookups'>;
  readonly nextPolicies: Pick<NextPolicyStore, 'get'>;
  readonly decisions: Pick<DecisionStore, 'list' | 'attestations'>;
  readonly reportsDomain: string;
}

/** The same for a plan of another time. */
export interface PastPlanDependencies extends PlanDependencies {
  readonly evidence: Pick<EvidenceStore, 'at' | 'certificates'>;
}
