import { domainPath } from '../../api/common.ts';
import type { Clock } from '../../network/ports.ts';
import { untilUncontended } from '../../store/contention.ts';
import type { DeletionMessage } from '../../store/domains/deletions.ts';
import type { DomainStore } from '../../store/domains/domains.ts';
import type { CallerOf, InputOf, MessageSender, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { onDomain, subjectOf, versionOf } from './on-domain.ts';

export const operation = {
  name: 'deleteDomain',
  summary: 'Delete a domain and all its data',
  description: 'Removes the domain at once; its checks, reports, and alerts are deleted in the background.',
  scope: 'write',
  on: domainPath,
  refusals: ['not_found', 'precondition_failed'],
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

type Deleted = OutcomeOf<typeof operation, { readonly deleted: true }>;

interface DeletionDependencies {
  readonly domains: Pick<DomainStore, 'get' | 'remove'>;
  readonly deletions: MessageSender<DeletionMessage>;
  readonly clock: Clock;
}

export const deleteDomain = (
  caller: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { domains, deletions, clock }: DeletionDependencies,
): Promise<Deleted> =>
  untilUncontended(() =>
    onDomain(caller, id, { domains }, async (domain): Promise<Deleted | undefined> => {
      if (!caller.isCurrent(versionOf(domain))) return new Refused('precondition_failed');
      // Of several requests at the same time, one removes it.
      if ((await domains.remove(domain, clock.now())) === undefined) return undefined;
      // The write above removed the domain; if this message is lost, the `resumeDeletions` schedule sends it again.
      await deletions.send({ domainId: id });
      return { value: { deleted: true }, subjects: [subjectOf(domain)] };
    }),
  );
