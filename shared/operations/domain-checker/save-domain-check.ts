import type { DomainCheckShareStore } from '../../store/domain-checks.ts';
import { saveResult } from '../limits/save-result.ts';
import { Refused } from '../outcome.ts';
import { type CheckDependencies, type OwnedCheck, recentCheck } from './check-any-domain.ts';

export interface SaveDependencies extends CheckDependencies {
  readonly shares: Pick<DomainCheckShareStore, 'save'>;
}

/** Stores under a link what everybody sees of a domain: for an owner, too, a result without the report mailbox. Returns its id. */
export async function saveDomainCheck(
  { check, owner }: OwnedCheck,
  clientAddress: string,
  deps: SaveDependencies,
): Promise<ReturnType<typeof saveResult>> {
  const published = owner === null ? check : await recentCheck(check.domain, null, deps);
  if (published instanceof Refused) return published;
  return saveResult({ ...published, usageType: check.usageType }, clientAddress, deps);
}
