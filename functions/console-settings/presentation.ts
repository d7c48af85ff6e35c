/** How forms of the settings page are answered, and which of them ask for a proof first. */
import type { Outcome } from '../../shared/operations/outcome.ts';
import { CONFIRM_PATH } from '../../shared/pages/console/confirm.ts';
import { SETTINGS_PATH } from '../../shared/pages/console/settings.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { keptFormCookie } from '../../shared/runtime/http/kept-form.ts';
import { withoutSecrets } from '../../shared/runtime/http/middleware/flash.ts';
import { isProven, type ProofDependencies } from '../../shared/runtime/http/proof.ts';
import { type Reply, redirect, type Said } from '../../shared/runtime/http/reply.ts';
import type { Route, SessionAccess } from '../../shared/runtime/http/route.ts';
import { signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { isMember, type TokenInfo } from '../../shared/store/api-tokens.ts';
import type { Session } from '../../shared/store/sessions.ts';

/** Leads back to the page, which says what a form did or why it did nothing. */
export const changed = <Value>(outcome: Outcome<Value>, say: (value: Value) => Said): Reply<string> =>
  redirect(outcome, () => SETTINGS_PATH, say);

/** Its path has no parameters. */
type FormRoute = Pick<Route, 'name' | 'path'> & Pick<SessionAccess, 'page'>;

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
