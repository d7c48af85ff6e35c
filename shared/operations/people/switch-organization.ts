import * as z from 'zod/mini';
import type { Clock } from '../../network/ports.ts';
import { isMember, type Member } from '../../store/api-tokens.ts';
import type { MemberStore } from '../../store/members.ts';
import type { PersonStore } from '../../store/people.ts';
import type { Session, SessionStore } from '../../store/sessions.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

const MAX_ID = 64;

export const operation = {
  name: 'switchOrganization',
  summary: 'See another organization that the person is a member of',
  scope: 'read',
  input: z.object({ organization: z.string().check(z.maxLength(MAX_ID)) }),
  refusals: ['forbidden'],
  uses: ['sessions:write', 'people:write'],
} as const satisfies Operation;

export interface SwitchDependencies {
  readonly members: Pick<MemberStore, 'of'>;
  readonly people: Pick<PersonStore, 'sees'>;
  readonly sessions: Pick<SessionStore, 'start' | 'end'>;
  readonly clock: Clock;
}

interface Switched {
  /** The text of the new session. */
  readonly text: string;
  readonly member: Member;
}

/**
 * Ends the session, and starts one in the other organization. It lasts no longer, and the person proved who they are when they
 * did.
 */
export async function switchOrganization(
  { token }: CallerOf<typeof operation>,
  session: Session,
  { organization }: InputOf<typeof operation>,
  { members, people, sessions, clock }: SwitchDependencies,
): Promise<OutcomeOf<typeof operation, Switched>> {
  const all = token !== null && isMember(token) ? await members.of(token.member.person) : [];
  const member = all.find((one) => one.organization === organization);
  if (token === null || member === undefined)
    return new Refused('forbidden', 'You are not a member of this organization.');
  const origin = { authenticatedAt: new Date(session.authenticatedAt), until: new Date(session.until) };
  // It first: a session that was ended meanwhile does not come back, and two requests start one.
  if (!(await sessions.end(token.organization, session.id)))
    return new Refused('forbidden', 'Your session has ended.');
  const text = await sessions.start(member, session.client, clock.now(), origin);
  await people.sees(member.member.person, organization);
  return { value: { text, member } };
}
