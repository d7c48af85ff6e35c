/** The stage of a domain on the way to p=reject. */
import { effectivePolicy, type PublishedDmarc } from '../protocol/dmarc/next-record.ts';
import type { Policy } from '../protocol/dmarc/record.ts';
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
