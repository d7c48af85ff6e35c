import { missing } from '../../api/common.ts';
import { senderPath, updateSenderBody } from '../../api/enforcement.ts';
import { type Decided, type Decision, decideSender } from '../../enforcement/decide.ts';
import type { EnforcementDependencies } from '../../enforcement/dependencies.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { changesBetween } from '../changes.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import { type CallerOf, type InputOf, idOf, type Operation, type OutcomeOf } from '../operation.ts';
import { invalid, Refused, type Subject } from '../outcome.ts';
import { versionAt } from '../version.ts';
import { type AssessAgainDependencies, assessAgain } from './assess-again.ts';

export const operation = {
  name: 'updateSender',
  summary: 'Approve a sender, mark it as a forwarder or as unauthorized, or add a note',
  scope: 'write',
  on: senderPath,
  input: updateSenderBody,
  refusals: ['invalid_request', 'not_found', 'precondition_failed'],
  uses: ['organizations:read', 'domain-data:write', 'queue:summaries'],
} as const satisfies Operation;

export type UpdateSenderDependencies = DomainDependencies & EnforcementDependencies & AssessAgainDependencies;

export const updateSender = (
  caller: CallerOf<typeof operation>,
  { id, senderId, ...change }: InputOf<typeof operation>,
  { domains, ...deps }: UpdateSenderDependencies,
): Promise<OutcomeOf<typeof operation, Decided>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const isAllowed = (changedAt: string | null) => caller.isCurrent(versionAt(changedAt));
    const decided = await decideSender(domain, senderId, { ...change, by: idOf(caller), isAllowed }, deps);
    const outcome = decidedOrRefused(decided);
    if (outcome instanceof Refused) return outcome;
    await assessAgain(domain, deps);
    return {
      value: outcome,
      version: versionAt(outcome.sender.changedAt),
      subjects: [subjectOf(domain, outcome)],
    };
  });

/** A decision about a sender in the audit log. */
export const subjectOf = (
  { id, domain }: Pick<Domain, 'id' | 'domain'>,
  { sender: { name, status, note }, was, noteWas }: Decided,
): Subject => ({
  ...{ id, name: `${domain}: ${name}` },
  changes: changesBetween({ status: was, note: noteWas }, { status, note }),
});

/** Why a decision was not made. */
export function decidedOrRefused(
  decision: Decision,
): Decided | Refused<'invalid_request' | 'not_found' | 'precondition_failed'> {
  switch (decision) {
    case 'gone':
      return new Refused('not_found', missing.sender);
    case 'not-allowed':
      return new Refused('precondition_failed');
    case 'not-approvable':
      return invalid({
        path: 'status',
        message:
          'must not be approved, because every customer of the provider can send this mail. To approve your own mail there, ' +
          'let the provider sign it in the name of your domain (DKIM).',
      });
    default:
      return decision;
  }
}
