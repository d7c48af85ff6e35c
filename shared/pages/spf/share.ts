/** A saved result, public to anyone with the link. */
import type { SpfCheck } from '../../store/spf-shares.ts';
import { checkAgain, copyLink } from '../components/actions.ts';
import { document } from '../document.ts';
import { html } from '../markup.ts';
import { KEPT } from '../saved.ts';
import { result, summary } from './result.ts';

/** `url` is the public link. */
export function sharePage(check: SpfCheck, url: string): string {
  const { domain } = check.expansion;
  const actions = html`${checkAgain(domain)}${copyLink}`;
  const note = html`<p class="soft">Saved result. The domain's DNS records may have changed since. ${KEPT}</p>`;
  return document({ ...summary(check), url, main: result(check, { actions, note }) });
}
