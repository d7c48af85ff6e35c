import { Refused } from '../../shared/operations/outcome.ts';
import { signIn } from '../../shared/operations/sessions/sign-in.ts';
import { hasFields } from '../../shared/pages/console/form-fields.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { clock, itemStore, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { keptFormIn } from '../../shared/runtime/http/kept-form.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import {
  returnPath,
  sessionCookie,
  signInPath,
  withFlash,
} from '../../shared/runtime/http/session-cookie.ts';
import { type Flash, leaveFlash } from '../../shared/store/flashes.ts';
import { sessionPlaceIn, sessionStore } from '../../shared/store/sessions.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.signIn,
  () => ({ tokens: itemStore(), sessions: sessionStore(table()), clock }),
  async ({ form, ...request }, deps) => {
    const to = returnPath(form.to);
    const outcome = await signIn(form, request, deps);
    if (outcome instanceof Refused)
      return reply('', { location: signInPath(to, outcome.problems?.[0].path) });
    const location = await returnTo(to, outcome.value, request.cookies, deps.clock.now());
    return reply('', { location, ...sessionCookie(outcome.value) });
  },
  consolePages,
);

/** The page to show, and on it what was typed into a form before the session of then had ended. */
async function returnTo(to: string, text: string, cookies: readonly string[], now: Date): Promise<string> {
  const [kept, place] = [keptFormIn(cookies), sessionPlaceIn(text)];
  if (kept === undefined || place === undefined) return to;
  if (kept.organization !== place.organization || kept.page !== to) return to;
  const { form, action, typed } = kept;
  const says = `Your session had ended, so nothing was done. ${
    hasFields(form) ? 'What you entered is filled in again: check it, and send it.' : 'Repeat what you did.'
  }`;
  const session = { organization: place.organization, session: { id: place.id }, text };
  const left: Flash = { kind: 'refused', says, form, action, typed, problems: [] };
  return withFlash(to, await leaveFlash(itemStore(), session, left, now));
}
