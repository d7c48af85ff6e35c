import { missing } from '../../api/common.ts';
import type { SignedEvidence } from '../../evidence/document.ts';
import { makeEvidence } from '../../evidence/make.ts';
import { noReportedMail } from '../../fixes/facts.ts';
import type { DomainCheckShareStore } from '../../store/domain-checks.ts';
import { type Outcome, Refused } from '../outcome.ts';
import { type SigningDependencies, signed } from './get-evidence.ts';

export interface SharedEvidenceDependencies extends SigningDependencies {
  readonly shares: Pick<DomainCheckShareStore, 'get'>;
}

/** The evidence of a saved check, of what everybody can see. Refused if the check was saved before evidence was. */
export async function getSharedEvidence(
  shareId: string,
  { shares, ...signing }: SharedEvidenceDependencies,
): Promise<Outcome<SignedEvidence, 'not_found'>> {
  const now = signing.clock.now();
  const check = await shares.get(shareId, now);
  if (check?.evidence === undefined) return new Refused('not_found', missing.domainCheck);
  const { recording, release, certificates: encoded } = check.evidence;
  const certificates = new Map(
    Object.entries(encoded).map(([hash, der]) => [hash, Uint8Array.from(Buffer.from(der, 'base64'))]),
  );
  const { issuer, extraRoots } = signing;
  const facts = { mailbox: null, mail: noReportedMail, nextPolicy: null, senders: null };
  const made = await makeEvidence(
    { ...check, release, recording, certificates, facts, reports: undefined },
    { issuer, issuedAt: now },
    extraRoots(),
  );
  return { value: await signed(made, signing) };
}
