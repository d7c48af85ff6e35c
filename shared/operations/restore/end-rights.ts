/**
 * Rights of people that ended after the point to which a table was restored end again: roles that were lowered, invitations,
 * and operators.
 */
import { roleOf } from '../../protocol/scope.ts';
import { covers, isMember, type Member } from '../../store/api-tokens.ts';
import { invitationStore } from '../../store/invitations.ts';
import { memberStore } from '../../store/members.ts';
import { organizationStore } from '../../store/organizations.ts';
import type { Table } from '../../store/table.ts';
import { type AuditDependencies, audited } from '../audit.ts';
import { changesBetween } from '../changes.ts';
import * as deleteInvitation from '../people/delete-invitation.ts';
import * as setOperator from '../people/set-operator.ts';
import * as updateMember from '../people/update-member.ts';
import { tokenSubjectOf } from '../tokens/create-token.ts';
import { endAgain, type Restored, wasThere } from './restored.ts';

async function membersIn(table: Table, organization: string): Promise<Member[]> {
  const all = await organizationStore(table).listTokens(organization);
  return all.filter(isMember).filter(({ revokedAt }) => revokedAt === null);
}

const oldMembers = async (organization: string, { old }: Restored): Promise<Member[]> =>
  old === undefined ? [] : membersIn(old, organization);

const restoredMembers = async (organization: string, restored: Restored): Promise<Member[]> =>
  (await membersIn(restored.table, organization)).filter((one) => wasThere(one, restored));

/** Each keeps the lower of both roles, also the last admin. Members who were removed since are removed before. */
export async function lowerRoles(
  organization: string,
  restored: Restored,
  deps: AuditDependencies,
): Promise<number> {
  const known = await oldMembers(organization, restored);
  let lowered = 0;
  for (const member of await restoredMembers(organization, restored)) {
    const present = known.find(({ hash }) => hash === member.hash)?.scope ?? 'read';
    if (covers(present, member.scope)) continue;
    // Otherwise, somebody else changed the member at that moment.
    if (!(await memberStore(restored.table).changeScope(member, present, undefined)))
      return lowered + (await lowerRoles(organization, restored, deps));
    const changes = changesBetween({ role: roleOf(member.scope) }, { role: roleOf(present) });
    const subjects = [{ ...tokenSubjectOf(member), changes }];
    await audited(updateMember.operation, organization, deps, { value: null, subjects });
    lowered += 1;
  }
  return lowered;
}

/** All: nobody knows which were used or withdrawn since, or have an inviter who is an admin no longer; inviting again is easy. */
export async function withdrawInvitations(
  organization: string,
  restored: Restored,
  deps: AuditDependencies,
): Promise<number> {
  const invitations = invitationStore(restored.table);
  let withdrawn = 0;
  for (const one of await invitations.list(organization, deps.clock.now()))
    if (wasThere(one, restored))
      withdrawn += await endAgain(deleteInvitation.operation, organization, deps, (caller) =>
        deleteInvitation.deleteInvitation(caller, { id: one.id }, { invitations, clock: deps.clock }),
      );
  return withdrawn;
}

export async function endOperators(
  organization: string,
  restored: Restored,
  deps: AuditDependencies,
): Promise<number> {
  const { table, old } = restored;
  const members = memberStore(table);
  const known = await oldMembers(organization, restored);
  const still = old === undefined ? [] : await memberStore(old).operatorsAmong(known);
  const hashes = new Set(still.map(({ hash }) => hash));
  const ending = { members, organizations: organizationStore(table) };
  let ended = 0;
  for (const { id, hash } of await members.operatorsAmong(await restoredMembers(organization, restored)))
    if (!hashes.has(hash))
      ended += await endAgain(setOperator.operation, organization, deps, (caller) =>
        setOperator.setOperator(caller, { id, operator: false }, ending),
      );
  return ended;
}
