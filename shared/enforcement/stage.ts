/** The stage of a domain on the way to p=reject. */
import { effectivePolicy, type PublishedDmarc } from '../protocol/dmarc/next-record.ts';
import type { Policy } from '../protocol/dmarc/record.ts';
import { isFullyApplied, type PolicyTerms } from './policy-terms.ts';
import type { Stage } from './shapes.ts';

const stages: Readonly<Record<Policy, Stage>> = {
  none: 'monitoring',
  quarantine: 'quarantine',
  reject: 'reject',
};

export function stageOf(published: PublishedDmarc, domain: string): Stage {
  const policy = effectivePolicy(published, domain);
  return policy === null ? 'no-record' : stages[policy];
}

/** A step to a policy that changes what receivers do. */
export type Step = Exclude<Policy, 'none'>;

/**
 * The step after the published policy; undefined at the last one, and before the first report can arrive. Receivers that
 * ignore `t` or `pct` apply something else than those that know them, so a policy is applied in full before the next one.
 */
export function stepAfter(stage: Stage, published: PolicyTerms): Step | undefined {
  if (stage === 'monitoring') return 'quarantine';
  if (stage !== 'quarantine') return undefined;
  return isFullyApplied(published) ? 'reject' : 'quarantine';
}
