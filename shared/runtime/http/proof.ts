/**
 * Proofs of who the person of a session is: somebody who finds a browser signed in, or takes its cookie, must not get
 * access that outlasts the session.
 */
import type { Clock } from '../../network/ports.ts';
import { covers, isAdmitted, isMember, type TokenInfo, validToken } from '../../store/api-tokens.ts';
import type { ItemStore } from '../../store/items.ts';
import type { Session, SessionStore } from '../../store/sessions.ts';
import { Redirect } from './errors.ts';
import { signInPath } from './session-cookie.ts';

/** How long a proof counts, signing in included. */
const PROOF_SECONDS = 10 * 60;

export interface ProofDependencies {
  readonly sessions: Pick<SessionStore, 'takeLink' | 'authenticated'>;
  readonly tokens: Pick<ItemStore, 'get'>;
  readonly clock: Clock;
}

interface ProofRequest {
  readonly organization: string;
  readonly token: TokenInfo;
  readonly session: Session;
  readonly clientAddress: string;
  /** An API token or a one-time link; empty until the person was asked for one. */
  readonly form: { readonly proof: string };
}

/**
 * Whether the person of the session proved within the last ten minutes who they are, or does so with this form.
 * @throws Redirect to the page to sign in, if the session has ended meanwhile.
 */
export async function isProven(request: ProofRequest, deps: ProofDependencies): Promise<boolean> {
  const { session, organization } = request;
  const now = deps.clock.now();
  if (now.getTime() - Date.parse(session.authenticatedAt) < PROOF_SECONDS * 1000) return true;
  // The token of another would prove nothing about a person.
  if (isMember(request.token) || !(await isProof(request, deps, now))) return false;
  if (!(await deps.sessions.authenticated(organization, session, now))) throw new Redirect(signInPath());
  return true;
}

/** Whether the proof is a token, or a one-time link to one, that could have started this session. */
async function isProof(
  { organization, token: own, clientAddress, form: { proof } }: ProofRequest,
  { sessions, tokens }: ProofDependencies,
  now: Date,
): Promise<boolean> {
  const link = URL.canParse(proof) ? new URL(proof).searchParams.get('link') : null;
  const token =
    link === null ? await validToken(tokens, proof, now) : await sessions.takeLink(link, now, organization);
  if (token === undefined || token.organization !== organization) return false;
  return covers(token.scope, own.scope) && isAdmitted(clientAddress, token);
}
