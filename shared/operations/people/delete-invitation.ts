import { missing } from '../../api/common.ts';
import { invitationPath } from '../../api/members.ts';
import type { Clock } from '../../network/ports.ts';
import type { Invitation, InvitationStore } from '../../store/invitations.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { invitationSubjectOf } from './create-invitation.ts';

export const operation = {
  name: 'deleteInvitation',
  summary: 'Withdraw an invitation',
  scope: 'admin',
  on: invitationPath,
  refusals: ['not_found'],
  uses: ['invitations:write'],
} as const satisfies Operation;

export interface DeleteInvitationDependencies {
  readonly invitations: Pick<InvitationStore, 'list' | 'remove'>;
  readonly clock: Clock;
}

export async function deleteInvitation(
  { organization }: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { invitations, clock }: DeleteInvitationDependencies,
): Promise<OutcomeOf<typeof operation, Invitation>> {
  const found = (await invitations.list(organization, clock.now())).find((one) => one.id === id);
  if (found === undefined || !(await invitations.remove(organization, id)))
    return new Refused('not_found', missing.invitation);
  return { value: found, subjects: [invitationSubjectOf(found)] };
}
