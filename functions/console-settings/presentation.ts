/** How forms of the settings and about members are answered, and which of them ask for a proof first. */
import type * as z from 'zod/mini';
import { type Outcome, Refused } from '../../shared/operations/outcome.ts';
import { CONFIRM_PATH } from '../../shared/pages/console/confirm.ts';
import { SETTINGS_PATH } from '../../shared/pages/console/settings.ts';
import { confirmDependencies } from '../../shared/runtime/dependencies/settings.ts';
import type { EndpointHandler, Request } from '../../shared/runtime/http/endpoint.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { keptFormCookie } from '../../shared/runtime/http/kept-form.ts';
import { withoutSecrets } from '../../shared/runtime/http/middleware/flash.ts';
import { isProven, type ProofDependencies } from '../../shared/runtime/http/proof.ts';
import { type Reply, redirect, type Said } from '../../shared/runtime/http/reply.ts';
import type { Route, SessionAccess } from '../../shared/runtime/http/route.ts';
import { signedOut, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { isMember, type Scope, type TokenInfo } from '../../shared/store/api-tokens.ts';
import type { Session } from '../../shared/store/sessions.ts';
import { consoleEndpoint } from '../console-endpoint.ts';

/** Leads back to the page, which says what a form did or why it did nothing. */
export const changed = <Value>(
  outcome: Outcome<Value>,
  say: (value: Value) => Said,
  page = SETTINGS_PATH,
): Reply<string> => redirect(outcome, () => page, say);

/** The same for a form that ends tokens or members. If the own session ended with them, no page can show what was done. */
export const ended = <Ended extends readonly TokenInfo[]>(
  outcome: Outcome<Ended>,
  own: TokenInfo,
  say: (value: Ended) => Said,
  page = SETTINGS_PATH,
): Reply<string> =>
  !(outcome instanceof Refused) && outcome.value.some(({ id }) => id === own.id)
    ? signedOut(redirect(outcome, () => signInPath()))
    : changed(outcome, say, page);

/** Its path has no parameters. */
type FormRoute = Pick<Route, 'name' | 'path'> & Pick<SessionAccess, 'page'>;

interface ConfirmedRoute<May extends Scope, Form> extends SessionRoute {
  readonly scope: May;
  readonly request: { readonly form: z.ZodMiniType<Form> };
  readonly success: SessionRoute['success'] & { readonly schema: z.ZodMiniType<string> };
}

type SessionRoute = Extract<Route, SessionAccess>;

/** The handler of a form that asks for a proof first, as `confirmed` does. */
export const confirmedEndpoint = <May extends Scope, Form extends ConfirmRequest['form'], Dependencies>(
  route: ConfirmedRoute<May, Form>,
  makeDependencies: () => Dependencies,
  perform: (request: Request<ConfirmedRoute<May, Form>>, deps: Dependencies) => Promise<Reply<string>>,
): EndpointHandler<Dependencies & ProofDependencies> =>
  consoleEndpoint(
    route,
    () => ({ ...confirmDependencies(), ...makeDependencies() }),
    (request, deps) => confirmed(route, request, deps, () => perform(request, deps)),
  );

interface ConfirmRequest {
  readonly organization: string;
  readonly token: TokenInfo;
  readonly session: Session;
  readonly clientAddress: string;
  /** What was entered; `proof` is empty until it was asked for. */
  readonly form: Readonly<Record<string, string | undefined>> & { readonly proof: string };
}

/**
 * Performs what a form asks for, if the person of the session proves who they are (`isProven`). Otherwise leads to a page that
 * asks for a proof, and sends what was entered again. A member has to sign in again, and finds the form filled in.
 * @throws Redirect
 */
export async function confirmed(
  { name, path, page = SETTINGS_PATH }: FormRoute,
  request: ConfirmRequest,
  deps: ProofDependencies,
  change: () => Promise<Reply<string>>,
): Promise<Reply<string>> {
  if (await isProven(request, deps)) return change();
  const { organization, token } = request;
  const given = Object.entries(request.form).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const typed = withoutSecrets(Object.fromEntries(given));
  if (isMember(token))
    throw new Redirect(
      signInPath(page, 'proof'),
      keptFormCookie({ organization, form: name, action: path, page, typed, isProof: true }),
    );
  const flash: Said =
    request.form.proof === ''
      ? { kind: 'question', says: '', typed }
      : {
          kind: 'refused',
          says: 'This is no valid API token or sign-in link with the rights of your session.',
          typed,
        };
  return { data: '', headers: { location: CONFIRM_PATH }, flash };
}
