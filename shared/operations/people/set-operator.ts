import * as z from 'zod/mini';
import { memberPath } from '../../api/members.ts';
import type { Member } from '../../store/api-tokens.ts';
import type { MemberStore } from '../../store/members.ts';
import type { OrganizationStore } from '../../store/organizations.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { tokenSubjectOf } from '../tokens/create-token.ts';
import { memberWith, noSuchMember } from './remove-member.ts';

export const operation = {
  name: 'setOperator',
  summary: 'Make a member an operator of the service, or take that back',
  description: 'The right ends with the membership.',
  scope: 'operator',
  on: memberPath,
  input: z.object({ operator: z.boolean() }),
  refusals: ['not_found'],
  uses: [],
} as const satisfies Operation;

export interface SetOperatorDependencies {
  readonly members: Pick<MemberStore, 'operatorsAmong' | 'setOperator'>;
  readonly organizations: Pick<OrganizationStore, 'listTokens'>;
}

export async function setOperator(
  { organization }: CallerOf<typeof operation>,
  { id, operator }: InputOf<typeof operation>,
  { members, organizations }: SetOperatorDependencies,
): Promise<OutcomeOf<typeof operation, Member>> {
  const member = (await memberWith(id, organization, organizations))?.member;
  if (member === undefined) return noSuchMember();
  const was = (await members.operatorsAmong([member])).length > 0;
  if (was === operator) return { value: member };
  if (!(await members.setOperator(member, operator))) return noSuchMember();
  const changes = changesBetween({ operator: was }, { operator });
  return { value: member, subjects: [{ ...tokenSubjectOf(member), changes }] };
}
