import { missing } from '../../api/common.ts';
import { memberPath, removeMemberQuery } from '../../api/members.ts';
import { isMember, type Member, type TokenInfo } from '../../store/api-tokens.ts';
import type { OrganizationStore } from '../../store/organizations.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { type DeleteTokenDependencies, endedSubjectOf, revokeCreatedBy } from '../tokens/delete-token.ts';
import { type EndMemberDependencies, endMember } from './end-member.ts';

export const operation = {
  name: 'removeMember',
  summary: 'Remove a member, and on request what the person created: tokens, and members by invitation',
  description:
    'The sessions of the person in this organization end at once. The last admin cannot be removed, except by the operator of the service.',
  scope: 'admin',
  on: memberPath,
  input: removeMemberQuery,
  refusals: ['invalid_request', 'not_found', 'last_admin'],
  uses: ['organizations:write', 'tokens:write', 'token-uses:write', 'people:write', 'invitations:write'],
} as const satisfies Operation;

export interface RemoveMemberDependencies extends DeleteTokenDependencies, EndMemberDependencies {}

/** Removes a member. Returns them, and after them the tokens that were revoked. */
export async function removeMember(
  caller: CallerOf<typeof operation>,
  input: InputOf<typeof operation>,
  deps: RemoveMemberDependencies,
): Promise<OutcomeOf<typeof operation, readonly [Member, ...TokenInfo[]]>> {
  return endMembership(caller, input, deps);
}

interface Ending {
  readonly organization: string;
  readonly may: Operation['scope'];
  /** Who asks. */
  readonly token: TokenInfo | null;
}

/** The same for anybody who may, as `may` says. */
export async function endMembership(
  { organization, may, token: own }: Ending,
  { id, created }: InputOf<typeof operation>,
  deps: RemoveMemberDependencies,
): Promise<OutcomeOf<typeof operation, readonly [Member, ...TokenInfo[]]>> {
  const found = await memberWith(id, organization, deps.organizations);
  if (found === undefined) return noSuchMember();
  const { member, others } = found;
  const other = otherAdmin(member, others);
  if (may !== 'operator' && member.scope === 'admin' && other === undefined) return new Refused('last_admin');
  // Before the tokens: then the person creates no further ones. With an operator, nobody has to remain.
  const isRemoved = await endMember(member, may === 'operator' ? undefined : other, deps);
  // Somebody else changed one of the two at that moment.
  if (!isRemoved) return endMembership({ organization, may, token: own }, { id, created }, deps);
  const revoked = created === 'revoke' ? await revokeCreatedBy(member, own, deps) : [];
  return { value: [member, ...revoked], subjects: [member, ...revoked].map(endedSubjectOf) };
}

export const noSuchMember = (): Refused<'not_found'> => new Refused('not_found', missing.member);

/** A member, and the others; undefined if there is none with this ID. */
export async function memberWith(
  id: string,
  organization: string,
  organizations: Pick<OrganizationStore, 'listTokens'>,
): Promise<{ readonly member: Member; readonly others: readonly Member[] } | undefined> {
  const all = (await organizations.listTokens(organization)).filter(isMember);
  const present = all.filter(({ revokedAt }) => revokedAt === null);
  const member = present.find((one) => one.id === id);
  return member && { member, others: present.filter((one) => one.id !== id) };
}

/** Another admin who remains if this one goes; undefined if there is none, or if this one is no admin. */
export const otherAdmin = ({ scope }: Member, others: readonly Member[]): Member | undefined =>
  scope === 'admin' ? others.find((one) => one.scope === 'admin') : undefined;
