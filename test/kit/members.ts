/** Members of organizations, without an identity provider. */
import type { Scope } from '../../shared/protocol/scope.ts';
import type { Member } from '../../shared/store/api-tokens.ts';
import { invitationStore } from '../../shared/store/invitations.ts';
import { memberStore } from '../../shared/store/members.ts';
import type { Table } from '../../shared/store/table.ts';

/** Makes a person a member, as an accepted invitation of the operator does. */
export async function join(
  table: Table,
  organization: string,
  person: string,
  scope: Scope,
  now: Date,
): Promise<Member> {
  const given = { organization, mail: `${person}@example.org`, scope, by: null };
  const { invitation } = await invitationStore(table).create(given, now);
  const member = await memberStore(table).join(invitation, person, now);
  if (member === undefined) throw new Error(`${person} is not a member`);
  return member;
}
