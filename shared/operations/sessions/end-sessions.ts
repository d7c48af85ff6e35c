import { sessionsToEnd } from '../../api/console.ts';
import { covers } from '../../store/api-tokens.ts';
import { type SessionStore, tokenIdIn } from '../../store/sessions.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

export const operation = {
  name: 'endSessions',
  summary: 'End a session of the console, or sign out everywhere',
  scope: 'read',
  input: sessionsToEnd,
  refusals: ['not_found'],
  uses: ['sessions:write'],
} as const satisfies Operation;

interface EndSessionsDependencies {
  readonly sessions: Pick<SessionStore, 'end' | 'endAll'>;
}

/** Ends one session, or all. A token without the scope `admin` reaches its own sessions only. */
export async function endSessions(
  { organization, token }: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { sessions }: EndSessionsDependencies,
): Promise<OutcomeOf<typeof operation, { readonly ended: true }>> {
  const only = token === null || covers(token.scope, 'admin') ? undefined : token;
  const value = { ended: true } as const;
  if (id === 'all') {
    await sessions.endAll(organization, only?.id);
    return { value, subjects: [{ id: null, name: only?.name ?? 'all sessions' }] };
  }
  const tokenId = tokenIdIn(id);
  if (only !== undefined && tokenId !== only.id)
    return new Refused('not_found', 'Your token has no such session.');
  await sessions.end(organization, id);
  return { value, subjects: [{ id: tokenId }] };
}
