import { domainPath } from '../../api/common.ts';
import type { Clock } from '../../network/ports.ts';
import type { DeletionMessage } from '../../store/domains/deletions.ts';
import type { DomainStore } from '../../store/domains/domains.ts';
import type { CallerOf, InputOf, MessageSender, Operation, OutcomeOf } from '../operation.ts';
import { noSuchDomain, onDomain, subjectOf } from './on-domain.ts';

export const operation = {
  name: 'deleteDomain',
  summary: 'Delete a domain and all its data',
  description: 'Removes the domain at once; its checks, reports, and alerts are deleted in the background.',
  scope: 'write',
  on: domainPath,
  refusals: ['not_found'],
  uses: [
    'organizations:write',
    'mailboxes:write',
    'badges:write',
    'deletions:write',
    'directory:write',
    'report-sums:write',
    'queue:deletions',
  ],
} as const satisfies Operation;

interface DeletionDependencies {
  readonly domains: Pick<DomainStore, 'get' | 'remove'>;
  readonly deletions: MessageSender<DeletionMessage>;
  readonly clock: Clock;
}

export const deleteDomain = (
  caller: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { domains, deletions, clock }: DeletionDependencies,
): Promise<OutcomeOf<typeof operation, { readonly deleted: true }>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    // Of several requests at the same time, one removes it.
    if (!(await domains.remove(domain, clock.now()))) return noSuchDomain();
    // The write above removed the domain; if this message is lost, the `resumeDeletions` schedule sends it again.
    await deletions.send({ domainId: id });
    return { value: { deleted: true }, subjects: [subjectOf(domain)] };
  });
