/**
 * Rights of people that ended after the point to which a table was restored stay ended: roles that were lowered, invitations,
 * and operators. Safe to repeat; what is newer than the point is left alone.
 */
import { changesBetween } from '../../../shared/operations/changes.ts';
import * as deleteInvitation from '../../../shared/operations/people/delete-invitation.ts';
import * as setOperator from '../../../shared/operations/people/set-operator.ts';
import * as updateMember from '../../../shared/operations/people/update-member.ts';
import { tokenSubjectOf } from '../../../shared/operations/tokens/create-token.ts';
import { roleOf } from '../../../shared/protocol/scope.ts';
import { covers, isMember, type Member } from '../../../shared/store/api-tokens.ts';
import { invitationStore } from '../../../shared/store/invitations.ts';
import { memberStore } from '../../../shared/store/members.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import type { Table } from '../../../shared/store/table.ts';
import { CommandError } from '../../terminal/command-line.ts';
import type { AdminDependencies } from '../command.ts';
import { audited, perform } from '../perform.ts';

interface Restored {
  readonly table: Table;
  readonly at: Date;
  /** Undefined if it is lost: then every member ended, and nobody is here whose rights could be compared. */
  readonly old: Table | undefined;
}

type Dependencies = Pick<AdminDependencies, 'audit' | 'clock'>;

/** How many rights ended again. */
export interface EndedRights {
  readonly loweredRoles: number;
  readonly withdrawnInvitations: number;
  readonly endedOperators: number;
}

/** For one organization, after members who were removed since are removed again. */
export async function endRights(
  organization: string,
  restored: Restored,
  deps: Dependencies,
): Promise<EndedRights> {
  const { table, at, old } = restored;
  const members = (await membersIn(table, organization)).filter(
    ({ createdAt }) => createdAt <= at.toISOString(),
  );
  const known = old === undefined ? [] : await membersIn(old, organization);
  return {
    loweredRoles: await lowerRoles(members, known, table, deps),
    withdrawnInvitations: await withdrawInvitations(organization, restored, deps),
    endedOperators: await endOperators(members, known, restored, deps),
  };
}

const membersIn = async (table: Table, organization: string): Promise<Member[]> =>
  (await organizationStore(table).listTokens(organization))
    .filter(isMember)
    .filter(({ revokedAt }) => revokedAt === null);

/** Each keeps the lower of both roles, also the last admin. */
async function lowerRoles(
  members: readonly Member[],
  known: readonly Member[],
  table: Table,
  deps: Dependencies,
): Promise<number> {
  let lowered = 0;
  for (const member of members) {
    const present = known.find(({ hash }) => hash === member.hash)?.scope ?? 'read';
    if (covers(present, member.scope)) continue;
    if (!(await memberStore(table).changeScope(member, present, undefined)))
      throw new CommandError(`${member.name} was changed at that moment: repeat the command`);
    const changes = changesBetween({ role: roleOf(member.scope) }, { role: roleOf(present) });
    const subjects = [{ ...tokenSubjectOf(member), changes }];
    await audited(updateMember.operation, member.organization, deps, { value: null, subjects });
    lowered += 1;
  }
  return lowered;
}

/** All: nobody knows which were used or withdrawn since, or have an inviter who is an admin no longer; inviting again is easy. */
async function withdrawInvitations(
  organization: string,
  { table, at }: Restored,
  deps: Dependencies,
): Promise<number> {
  const invitations = invitationStore(table);
  const open = (await invitations.list(organization, deps.clock.now())).filter(
    ({ createdAt }) => createdAt <= at.toISOString(),
  );
  for (const { id } of open)
    await perform(deleteInvitation.operation, organization, deps, (caller) =>
      deleteInvitation.deleteInvitation(caller, { id }, { invitations, clock: deps.clock }),
    );
  return open.length;
}

async function endOperators(
  members: readonly Member[],
  known: readonly Member[],
  { table, old }: Restored,
  deps: Dependencies,
): Promise<number> {
  const store = memberStore(table);
  const still = old === undefined ? [] : await memberStore(old).operatorsAmong(known);
  const hashes = new Set(still.map(({ hash }) => hash));
  const ended = (await store.operatorsAmong(members)).filter(({ hash }) => !hashes.has(hash));
  for (const { id, organization } of ended)
    await perform(setOperator.operation, organization, deps, (caller) =>
      setOperator.setOperator(
        caller,
        { id, operator: false },
        { members: store, organizations: organizationStore(table) },
      ),
    );
  return ended.length;
}
