/** A saved result, as anyone sees it who has the link. */
import type { SpfCheck } from '../store/spf-shares.ts';
import { document } from './document.ts';
import { html } from './markup.ts';
import { checkAgain, copyLink } from './spf/actions.ts';
import { fitting } from './spf/extent.ts';
import { result, summary } from './spf/result.ts';

/** `url` is the link itself. */
export function sharePage(check: SpfCheck, url: string): string {
  const { domain } = check.expansion;
  const actions = html`${checkAgain(domain)}${copyLink}`;
  const note = html`<p class="soft">A saved result. The DNS may say something else by now.</p>`;
  return fitting((entries) =>
    document({ ...summary(check), url, main: result(check, { actions, note, entries }) }),
  );
}

/** What follows a form that was saved, for the few that do not follow a redirect. */
export function savedPage(path: string): string {
  return document({
    title: 'Saved',
    description: 'The result is saved.',
    main: html`<section class="lone"><h1>Saved</h1><p class="lead"><a href="${path}">Open the saved result</a></p></section>`,
  });
}
