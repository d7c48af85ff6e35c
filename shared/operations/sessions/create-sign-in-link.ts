import { LINK_SECONDS, SESSION_SECONDS, type SessionStore } from '../../store/sessions.ts';
import type { CallerOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { type CreateTokenDependencies, createToken } from '../tokens/create-token.ts';

export const operation = {
  name: 'createSignInLink',
  summary: 'Create a link that signs in to the console once, within 15 minutes',
  scope: 'operator',
  refusals: ['invalid_request', 'forbidden'],
  uses: [],
} as const satisfies Operation;

interface SignInLinkDependencies extends CreateTokenDependencies {
  readonly sessions: Pick<SessionStore, 'createLink'>;
}

/**
 * Creates a one-time link; returns its secret. The link has a token of its own, which is shown nowhere and expires with the
 * session.
 */
export async function createSignInLink(
  caller: CallerOf<typeof operation>,
  { sessions, ...deps }: SignInLinkDependencies,
): Promise<OutcomeOf<typeof operation, string>> {
  const now = deps.clock.now();
  const expiresAt = new Date(now.getTime() + (LINK_SECONDS + SESSION_SECONDS) * 1000).toISOString();
  const created = await createToken(caller, { name: 'console link', scope: 'admin', expiresAt }, deps);
  if (created instanceof Refused) return created;
  return { ...created, value: await sessions.createLink(created.value.info, now) };
}
