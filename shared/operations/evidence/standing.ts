/** How a domain stood at a time, from the evidence that is kept. */
import { missing } from '../../api/common.ts';
import { momentOf } from '../../api/evidence.ts';
import type { EvidenceStore, StoredEvidence } from '../../store/check-runs/evidence.ts';
import { Refused } from '../outcome.ts';

/** The evidence of the time that a request asks about; without one, the latest. Refused if nothing is kept of that time. */
export async function standingAt(
  domainId: string,
  at: string | undefined,
  evidence: Pick<EvidenceStore, 'at'>,
  now: Date,
): Promise<StoredEvidence | Refused<'not_found'>> {
  const found = await evidence.at(domainId, at && momentOf(at), now);
  return found ?? new Refused('not_found', missing.evidence);
}
