/** The settings page, which every form of it shows again with what it did, and the page that asks for a proof first. */
import { type Outcome, Refused } from '../../shared/operations/outcome.ts';
import { confirmPage } from '../../shared/pages/console/confirm.ts';
import { problemOf } from '../../shared/pages/console/form-fields.ts';
import { type FormResult, settingsPage } from '../../shared/pages/console/settings.ts';
import { isProven, type ProofDependencies } from '../../shared/runtime/http/proof.ts';
import type { Reply } from '../../shared/runtime/http/reply.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import type { Session } from '../../shared/store/sessions.ts';
import { type SettingsDependencies, settingsFor, type Viewer } from '../../shared/views/settings.ts';

interface PageRequest extends Viewer {
  readonly formToken: string;
}

export async function showSettings(
  { formToken, ...viewer }: PageRequest,
  deps: SettingsDependencies,
  { page = 1, result }: { readonly page?: number; readonly result?: FormResult } = {},
): Promise<string> {
  const view = { ...(await settingsFor(viewer, page, deps)), formToken, result };
  return settingsPage(view);
}

/** Shows the page again with what a form did or, in a response with status 400, why it did nothing. */
export async function changed<Value>(
  request: PageRequest,
  deps: SettingsDependencies,
  outcome: Outcome<Value>,
  say: (value: Value) => Omit<FormResult, 'kind'>,
): Promise<Reply<string>> {
  if (outcome instanceof Refused) {
    const result = { kind: 'refused', says: problemOf(outcome, fieldNames) } as const;
    return { data: await showSettings(request, deps, { result }), status: 400, subjects: [] };
  }
  const { value, subjects = [] } = outcome;
  const result = { kind: 'done', ...say(value) } as const;
  return { data: await showSettings(request, deps, { result }), subjects };
}

interface ConfirmRequest extends PageRequest {
  readonly session: Session;
  readonly clientAddress: string;
  /** What was entered; `proof` is empty until it was asked for. */
  readonly form: Readonly<Record<string, string | undefined>> & { readonly proof: string };
}

/**
 * Performs what a form asks for, if the person of the session proves who they are (`isProven`). Otherwise shows a page that
 * asks for a proof, and sends what was entered again.
 */
export async function confirmed(
  { path }: Pick<Route, 'path'>,
  request: ConfirmRequest,
  deps: ProofDependencies,
  change: () => Promise<Reply<string>>,
): Promise<Reply<string>> {
  if (await isProven(request, deps)) return change();
  const { proof, formToken: _old, ...fields } = request.form;
  const problem =
    proof === '' ? undefined : 'This is no valid API token or sign-in link with the rights of your session.';
  const data = confirmPage({ formToken: request.formToken, action: path, fields, problem });
  return { data, status: 403, subjects: [] };
}

/** What the forms call the fields of the API. */
const fieldNames: Readonly<Record<string, string>> = {
  address: 'The mail address',
  url: 'The webhook URL',
  threshold: 'The severity',
  digest: 'The digest',
  digestWeekday: 'The day of the digest',
  digestHour: 'The hour of the digest',
  digestTimeZone: 'The time zone',
  format: 'The format',
  name: 'The name',
  scope: 'The scope',
  expiresAt: 'The last day',
  networks: 'Each network',
  channel: 'The channel',
};
