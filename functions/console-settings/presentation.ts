/** How forms of the settings page are answered, and which of them ask for a proof first. */
import type { Outcome } from '../../shared/operations/outcome.ts';
import { CONFIRM_PATH } from '../../shared/pages/console/confirm.ts';
import { SETTINGS_PATH } from '../../shared/pages/console/settings.ts';
import { withoutSecrets } from '../../shared/runtime/http/middleware/flash.ts';
import { isProven, type ProofDependencies } from '../../shared/runtime/http/proof.ts';
import { type Reply, redirect, type Said } from '../../shared/runtime/http/reply.ts';
import type { TokenInfo } from '../../shared/store/api-tokens.ts';
import type { Session } from '../../shared/store/sessions.ts';

/** Leads back to the page, which says what a form did or why it did nothing. */
export const changed = <Value>(outcome: Outcome<Value>, say: (value: Value) => Said): Reply<string> =>
  redirect(outcome, () => SETTINGS_PATH, say);

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
 * asks for a proof, and sends what was entered again.
 */
export async function confirmed(
  request: ConfirmRequest,
  deps: ProofDependencies,
  change: () => Promise<Reply<string>>,
): Promise<Reply<string>> {
  if (await isProven(request, deps)) return change();
  const given = Object.entries(request.form).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const typed = withoutSecrets(Object.fromEntries(given));
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
