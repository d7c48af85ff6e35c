/** Where somebody who signed in is led to. */
import { type Flash, leaveFlash } from '../../store/flashes.ts';
import { sessionPlaceIn } from '../../store/sessions.ts';
import { itemStore } from '../dependencies/services.ts';
import { keptFormIn } from './kept-form.ts';
import { withFlash } from './session-cookie.ts';

const ENDED = 'Your session had ended, so nothing was done.';

/**
 * The page to show, and on it what was typed into a form before the session of then had ended, or before it needed a new proof.
 * @param hasFields Whether a form can be filled in again.
 */
export async function returnTo(
  to: string,
  text: string,
  cookies: readonly string[],
  now: Date,
  hasFields: (form: string) => boolean,
): Promise<string> {
  const [kept, place] = [keptFormIn(cookies), sessionPlaceIn(text)];
  if (kept === undefined || place === undefined) return to;
  if (kept.organization !== place.organization || kept.page !== to) return to;
  const { form, action, typed } = kept;
  const why = kept.isProof ? 'Nothing was done before you signed in again.' : ENDED;
  const says = `${why} ${
    hasFields(form) ? 'What you entered is filled in again: check it, and send it.' : 'Repeat what you did.'
  }`;
  const session = { organization: place.organization, session: { id: place.id }, text };
  const left: Flash = { kind: 'refused', says, form, action, typed, problems: [] };
  return withFlash(to, await leaveFlash(itemStore(), session, left, now));
}
