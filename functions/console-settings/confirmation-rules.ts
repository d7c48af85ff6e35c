/**
 * Forms about tokens and notifications: somebody who finds a browser signed in, or takes its cookie, must not get access
 * that outlasts the session.
 */
import { confirmPage } from '../../shared/pages/console/confirm.ts';
import { itemStore, table } from '../../shared/runtime/dependencies/services.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { isAdmitted } from '../../shared/runtime/http/middleware/admit.ts';
import type { Reply } from '../../shared/runtime/http/reply.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { covers, validToken } from '../../shared/store/api-tokens.ts';
import type { ItemStore } from '../../shared/store/items.ts';
import { type SessionStore, sessionStore } from '../../shared/store/sessions.ts';
import {
  changed,
  type Done,
  type SettingsDependencies,
  type SettingsRequest,
  settingsDependencies,
} from './rules.ts';

/** How long a proof counts, signing in included. */
const PROOF_SECONDS = 10 * 60;

export interface ConfirmDependencies extends SettingsDependencies {
  readonly sessions: Pick<SessionStore, 'list' | 'takeLink' | 'authenticated'>;
  readonly items: Pick<ItemStore, 'get'>;
}

export const confirmDependencies = (): ConfirmDependencies => ({
  ...settingsDependencies(),
  sessions: sessionStore(table()),
  items: itemStore(),
});

export interface ConfirmRequest extends SettingsRequest {
  readonly clientAddress: string;
  /** What was entered; `proof` is empty until it was asked for. */
  readonly form: Readonly<Record<string, string | undefined>> & { readonly proof: string };
}

/**
 * Like `changed`, if the person of the session proved within the last ten minutes who they are, or does so with this form.
 * Otherwise shows a page that asks for it, and sends what was entered again.
 */
export async function confirmed(
  { path }: Pick<Route, 'path'>,
  request: ConfirmRequest,
  deps: ConfirmDependencies,
  change: () => Promise<Done>,
): Promise<Reply<string>> {
  const { session, organization, formToken, form } = request;
  const now = deps.clock.now();
  if (now.getTime() - Date.parse(session.authenticatedAt) >= PROOF_SECONDS * 1000) {
    if (!(await isProven(request, deps, now))) {
      const { proof, formToken: _old, ...fields } = form;
      const problem =
        proof === ''
          ? undefined
          : 'This is no valid API token or sign-in link with the rights of your session.';
      const data = confirmPage({ formToken, action: path, fields, problem });
      return { data, status: 403, subjects: [] };
    }
    if (!(await deps.sessions.authenticated(organization, session, now))) throw new Redirect(signInPath());
  }
  return changed(request, deps, change);
}

/** Whether the proof is a token, or a one-time link to one, that could have started this session. */
async function isProven(
  { organization, token: own, clientAddress, form: { proof } }: ConfirmRequest,
  { sessions, items }: ConfirmDependencies,
  now: Date,
): Promise<boolean> {
  const link = URL.canParse(proof) ? new URL(proof).searchParams.get('link') : null;
  const token =
    link === null ? await validToken(items, proof, now) : await sessions.takeLink(link, now, organization);
  if (token === undefined || token.organization !== organization) return false;
  return covers(token.scope, own.scope) && isAdmitted(clientAddress, token);
}
