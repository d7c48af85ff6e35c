import { missing } from '../../api/common.ts';
import { senderPath, updateSenderBody } from '../../api/enforcement.ts';
import { type Decided, decideSender } from '../../enforcement/decide.ts';
import type { EnforcementDependencies } from '../../enforcement/dependencies.ts';
import { changesBetween } from '../changes.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import { type CallerOf, type InputOf, idOf, type Operation, type OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';
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
    switch (decided) {
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
        await assessAgain(domain, deps);
        return {
          value: decided,
          version: versionAt(decided.sender.changedAt),
          subjects: [
            {
              ...{ id: domain.id, name: `${domain.domain}: ${decided.sender.name}` },
              changes: changesBetween(
                { status: decided.was, note: decided.noteWas },
                { status: decided.sender.status, note: decided.sender.note },
              ),
            },
          ],
        };
    }
  });
