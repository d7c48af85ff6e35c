import * as z from 'zod/mini';
import { isMember } from '../../store/api-tokens.ts';
import type { PersonStore } from '../../store/people.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

export const operation = {
  name: 'changePreferences',
  summary: 'Choose whether sign-ins with a new browser are mailed',
  scope: 'read',
  input: z.object({ signInNotice: z.boolean() }),
  refusals: ['forbidden'],
  uses: ['people:write'],
} as const satisfies Operation;

/** What a person chooses applies in all of their organizations. */
export async function changePreferences(
  { token }: CallerOf<typeof operation>,
  { signInNotice }: InputOf<typeof operation>,
  { people }: { readonly people: Pick<PersonStore, 'get' | 'setSignInNotice'> },
): Promise<OutcomeOf<typeof operation, null>> {
  if (token === null || !isMember(token)) return new Refused('forbidden', 'Only people have preferences.');
  const before = await people.get(token.member.person);
  await people.setSignInNotice(token.member.person, signInNotice);
  const changes = changesBetween({ signInNotice: before.signInNotice }, { signInNotice });
  return { value: null, subjects: [{ id: token.id, name: token.name, changes }] };
}
