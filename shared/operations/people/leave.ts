import type { Member, TokenInfo } from '../../store/api-tokens.ts';
import { isMember } from '../../store/api-tokens.ts';
import type { CallerOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { endMembership, type RemoveMemberDependencies } from './remove-member.ts';

export const operation = {
  name: 'leaveOrganization',
  summary: 'Leave the organization',
  scope: 'read',
  refusals: ['invalid_request', 'not_found', 'forbidden', 'last_admin'],
  uses: ['organizations:write', 'tokens:write', 'token-uses:write', 'people:write', 'invitations:write'],
} as const satisfies Operation;

export const ONLY_MEMBERS = 'Only members can leave an organization.';

/** Removes who asks. The tokens that the person created are the organization's, and stay. */
export async function leaveOrganization(
  { organization, token, may }: CallerOf<typeof operation>,
  deps: RemoveMemberDependencies,
): Promise<OutcomeOf<typeof operation, readonly [Member, ...TokenInfo[]]>> {
  if (token === null || !isMember(token)) return new Refused('forbidden', ONLY_MEMBERS);
  return endMembership({ organization, may, token }, { id: token.id }, deps);
}
