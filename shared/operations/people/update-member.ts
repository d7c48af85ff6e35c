import { memberPath, updateMemberBody } from '../../api/members.ts';
import { roleOf, scopeOf } from '../../protocol/scope.ts';
import { covers, type Member, type Scope } from '../../store/api-tokens.ts';
import type { MemberStore } from '../../store/members.ts';
import type { OrganizationStore } from '../../store/organizations.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { tokenSubjectOf } from '../tokens/create-token.ts';
import { refuseLimited } from './lasting-rights.ts';
import { memberWith, noSuchMember, otherAdmin } from './remove-member.ts';

export const operation = {
  name: 'updateMember',
  summary: 'Change the role of a member',
  description:
    'It applies from the next request of the person on. Tokens that the person created keep their scope. The last admin keeps the role.',
  scope: 'admin',
  on: memberPath,
  input: updateMemberBody,
  refusals: ['invalid_request', 'not_found', 'precondition_failed', 'forbidden', 'last_admin'],
  uses: ['organizations:write', 'tokens:write'],
} as const satisfies Operation;

export interface UpdateMemberDependencies {
  readonly members: Pick<MemberStore, 'changeScope'>;
  readonly organizations: Pick<OrganizationStore, 'listTokens'>;
}

/** Returns the member with the new role. */
export async function updateMember(
  caller: CallerOf<typeof operation>,
  { id, role }: InputOf<typeof operation>,
  deps: UpdateMemberDependencies,
): Promise<OutcomeOf<typeof operation, Member>> {
  const found = await memberWith(id, caller.organization, deps.organizations);
  if (found === undefined) return noSuchMember();
  const { member, others } = found;
  const scope = scopeOf(role);
  if (!caller.isCurrent(versionOf(member))) return new Refused('precondition_failed');
  if (scope === member.scope) return { value: member, version: versionOf(member) };
  const limited = isMore(scope, member.scope) ? refuseLimited(caller.token) : undefined;
  if (limited !== undefined) return limited;
  const other = otherAdmin(member, others);
  if (member.scope === 'admin' && other === undefined) return new Refused('last_admin');
  // Otherwise, somebody else changed one of the two at that moment.
  if (!(await deps.members.changeScope(member, scope, other)))
    return updateMember(caller, { id, role }, deps);
  const changed = { ...member, scope };
  const changes = changesBetween({ role: roleOf(member.scope) }, { role });
  return { value: changed, version: versionOf(changed), subjects: [{ ...tokenSubjectOf(member), changes }] };
}

const isMore = (one: Scope, other: Scope): boolean => !covers(other, one);

/** Only the role of a member changes. */
export const versionOf = ({ scope }: Pick<Member, 'scope'>): string => scope;
