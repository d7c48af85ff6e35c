import { credential } from '../../api/console.ts';
import type { Clock } from '../../network/ports.ts';
import { isAdmitted, validToken } from '../../store/api-tokens.ts';
import type { ItemStore } from '../../store/items.ts';
import type { SessionStore } from '../../store/sessions.ts';
import type { InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

/** The caller is known by the address only; the session has the rights of the token. */
export const operation = {
  name: 'signIn',
  summary: 'Sign in to the console with an API token or a one-time link',
  scope: 'read',
  input: credential,
  refusals: ['forbidden'],
  uses: ['sessions:write'],
} as const satisfies Operation;

/** Why nobody was signed in, by the path of the problem. */
export const signInProblems = {
  link: 'The link was used already, or is older than 15 minutes. Sign in with an API token, or create another link.',
  token: 'The API token is unknown, was revoked, or has expired.',
  address: 'The API token cannot be used from your address.',
} as const;

/** From where somebody signs in. */
interface Client {
  readonly clientAddress: string;
  /** The name of the browser, as it gives it. */
  readonly userAgent: string;
}

interface SignInDependencies {
  readonly tokens: Pick<ItemStore, 'get'>;
  readonly sessions: Pick<SessionStore, 'takeLink' | 'start'>;
  readonly clock: Clock;
}

/** Starts a session; returns its text, which is the secret that the browser keeps. */
export async function signIn(
  { link, token: typed = '' }: InputOf<typeof operation>,
  { clientAddress, userAgent }: Client,
  { tokens, sessions, clock }: SignInDependencies,
): Promise<OutcomeOf<typeof operation, string>> {
  const now = clock.now();
  const token =
    link === undefined ? await validToken(tokens, typed.trim(), now) : await sessions.takeLink(link, now);
  if (token === undefined) return refused(link === undefined ? 'token' : 'link');
  if (!isAdmitted(clientAddress, token)) return refused('address');
  return { value: await sessions.start(token, userAgent, now) };
}

const refused = (path: keyof typeof signInProblems): Refused<'forbidden'> =>
  new Refused('forbidden', signInProblems[path], { problems: [{ path, message: signInProblems[path] }] });
