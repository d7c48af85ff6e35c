import { domainPath } from '../../api/common.ts';
import type { SignedEvidence } from '../../evidence/document.ts';
import { makeEvidence } from '../../evidence/make.ts';
import { type Signer, signEvidence } from '../../evidence/signature.ts';
import type { Clock } from '../../network/ports.ts';
import type { EvidenceStore } from '../../store/check-runs/evidence.ts';
import type { MailOutcomeStore } from '../../store/reports/mail-outcomes.ts';
import type { SigningKeyStore } from '../../store/signing-keys.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import type { PlanDependencies } from '../fixes/plan-dependencies.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { planFactsOf } from './plan-facts.ts';
import { reportFigures } from './report-figures.ts';
import { standingAt } from './standing.ts';

export const operation = {
  name: 'getEvidence',
  summary: 'Get signed evidence of how a domain stands, or stood',
  description:
    'One document with the lookups and answers of a check run, its results, score and recommended changes, signed with a key of `/.well-known/jwks.json`. Anybody can verify it without this service.',
  scope: 'read',
  on: domainPath,
  refusals: ['not_found'],
  uses: ['organizations:read', 'domain-data:read', 'signing-keys:write', 'evidence:sign'],
} as const satisfies Operation;

export interface SigningDependencies {
  readonly signer: Signer;
  readonly signingKeys: Pick<SigningKeyStore, 'add'>;
  /** The origin of the service. */
  readonly issuer: string;
  /** Further trusted authorities (PEM). */
  readonly extraRoots: () => readonly string[];
  readonly clock: Clock;
}

export interface EvidenceDependencies extends DomainDependencies, SigningDependencies {
  readonly evidence: Pick<EvidenceStore, 'at' | 'certificates'>;
  readonly plan: PlanDependencies;
  readonly mails: Pick<MailOutcomeStore, 'list'>;
}

export const getEvidence = (
  caller: CallerOf<typeof operation>,
  { id, at }: InputOf<typeof operation> & { readonly at?: string | undefined },
  { domains, evidence, plan, mails, ...signing }: EvidenceDependencies,
): Promise<OutcomeOf<typeof operation, SignedEvidence>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const now = signing.clock.now();
    const stored = await standingAt(id, at, evidence, now);
    if (stored instanceof Refused) return stored;
    const { usageType, release, content } = stored;
    const [certificates, facts, reports] = await Promise.all([
      evidence.certificates(id, stored.certificates),
      planFactsOf(domain, stored, plan, now),
      reportFigures(id, stored.at, { reports: plan.reports, mails }, now),
    ]);
    const { issuer, extraRoots } = signing;
    const made = await makeEvidence(
      {
        domain: domain.domain,
        usageType,
        checkedAt: stored.at,
        release,
        ...content,
        certificates,
        facts,
        reports,
      },
      { issuer, issuedAt: now },
      extraRoots(),
    );
    return { value: await signed(made, signing) };
  });

/** Signs evidence, with a key that is published before. */
export async function signed(
  made: Parameters<typeof signEvidence>[0],
  { signer, signingKeys }: Pick<SigningDependencies, 'signer' | 'signingKeys'>,
): Promise<SignedEvidence> {
  await signingKeys.add(await signer.key());
  return signEvidence(made, signer);
}
