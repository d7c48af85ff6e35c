import * as z from 'zod/mini';
import { isMember } from '../../store/api-tokens.ts';
import type { PersonStore } from '../../store/people.ts';
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
  { people }: { readonly people: Pick<PersonStore, 'setSignInNotice'> },
): Promise<OutcomeOf<typeof operation, null>> {
  if (token === null || !isMember(token)) return new Refused('forbidden', 'Only people have preferences.');
  await people.setSignInNotice(token.member.person, signInNotice);
  return { value: null, subjects: [{ id: token.id, name: token.name }] };
}
