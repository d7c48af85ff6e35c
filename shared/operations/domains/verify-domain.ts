import { domainPath } from '../../api/common.ts';
import type { Naming } from '../../api/domains.ts';
import { type VerificationDependencies, verifyOwnership } from '../../monitoring/verify-ownership.ts';
import type { DomainStore } from '../../store/domains/domains.ts';
import { verificationRecordOf } from '../../store/domains/verification-record.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { noSuchDomain, onDomain, subjectOf } from './on-domain.ts';

export const operation = {
  name: 'verifyDomain',
  summary: 'Verify domain ownership by looking up the verification record',
  description:
    'Publish the verification record first. If it is not found, the response is not an error: `verified` is false, and `expected` is the record. A verified domain stays verified, and `message` says whether the record is still there.',
  scope: 'write',
  on: domainPath,
  refusals: ['not_found'],
  uses: ['organizations:write', 'domain-data:write', 'directory:write', 'dns'],
} as const satisfies Operation;

export interface VerifyDependencies extends VerificationDependencies {
  readonly domains: VerificationDependencies['domains'] & Pick<DomainStore, 'get'>;
  readonly naming: Naming;
}

export interface Verification {
  readonly verified: boolean;
  readonly message: string;
  /** The record to publish, if it was not found. */
  readonly expected?: ReturnType<typeof verificationRecordOf>;
}

export const verifyDomain = (
  caller: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { naming, ...deps }: VerifyDependencies,
): Promise<OutcomeOf<typeof operation, Verification>> =>
  onDomain(caller, id, deps, async (domain) => {
    const expected = verificationRecordOf(domain, naming);
    const verification = await verifyOwnership(domain, expected, deps);
    if (verification.outcome === 'gone') return noSuchDomain();
    const { outcome, message } = verification;
    const verified = outcome === 'verified';
    return {
      value: { verified, message, ...(!verified && { expected }) },
      subjects: verified ? [subjectOf(domain)] : [],
    };
  });
