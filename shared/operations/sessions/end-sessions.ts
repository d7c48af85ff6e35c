import { sessionsToEnd } from '../../api/console.ts';
import { covers, isMember } from '../../store/api-tokens.ts';
import type { MemberStore } from '../../store/members.ts';
import { type SessionStore, tokenIdIn } from '../../store/sessions.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

export const operation = {
  name: 'endSessions',
  summary: 'End a session of the console, or sign out everywhere',
  scope: 'read',
  input: sessionsToEnd,
  refusals: ['not_found'],
  uses: ['sessions:write', 'people:read'],
} as const satisfies Operation;

interface EndSessionsDependencies {
  readonly sessions: Pick<SessionStore, 'end' | 'endAll'>;
  readonly members: Pick<MemberStore, 'of'>;
}

/**
 * Ends one session, or all. A token without the scope `admin` reaches its own sessions only. A member reaches their own in all
 * of their organizations: who found a browser signed in can have switched there.
 */
export async function endSessions(
  { organization, token }: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { sessions, members }: EndSessionsDependencies,
): Promise<OutcomeOf<typeof operation, { readonly ended: true }>> {
  const only = token === null || covers(token.scope, 'admin') ? undefined : token;
  const value = { ended: true } as const;
  const own = token !== null && isMember(token) ? await members.of(token.member.person) : [];
  const elsewhere = own.filter((one) => one.organization !== organization);
  if (id === 'all') {
    for (const one of elsewhere) await sessions.endAll(one.organization, one.id);
    await sessions.endAll(organization, only?.id);
    return { value, subjects: [{ id: null, name: only?.name ?? 'all sessions' }] };
  }
  const tokenId = tokenIdIn(id);
  const there = elsewhere.find((one) => one.id === tokenId);
  if (there === undefined && only !== undefined && tokenId !== only.id)
    return new Refused('not_found', 'Your token has no such session.');
  await sessions.end(there?.organization ?? organization, id);
  return { value, subjects: [{ id: tokenId }] };
}
