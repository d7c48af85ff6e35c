import { credential, type signInFailures } from '../../api/console.ts';
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

type Failure = (typeof signInFailures)[number];

/** Why nobody was signed in, by the path of the problem. */
export const signInProblems: Readonly<Record<Failure, string>> = {
  link: 'The link was used already, or is older than 15 minutes. Sign in with an API token, or create another link.',
  token: 'The API token is unknown, was revoked, or has expired.',
  address: 'The API token cannot be used from your address.',
  unreachable:
    'The identity provider cannot be reached. Try again in a few minutes, or sign in with an API token.',
  declined: 'The identity provider did not sign you in. Try again, or sign in with an API token.',
  refused:
    'The answer of the identity provider could not be verified. Try again; if it happens again, tell the operator of the service.',
  stale: 'The attempt to sign in is too old, or was started in another browser. Start again.',
  invitation:
    'The invitation was used, withdrawn or has expired, or is for another mail address than the one that the identity provider verified for you.',
  nobody: 'You are not a member of any organization. Ask an admin of yours for an invitation.',
  proof: 'This needs a sign-in of the last ten minutes. Sign in again; what you entered is not lost.',
};

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

export const refused = (path: Failure): Refused<'forbidden'> =>
  new Refused('forbidden', signInProblems[path], { problems: [{ path, message: signInProblems[path] }] });
