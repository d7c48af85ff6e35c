/** A saved result, public to anyone with the link. */
import type { SpfCheck } from '../store/spf-shares.ts';
import { document } from './document.ts';
import { html } from './markup.ts';
import { checkAgain, copyLink } from './spf/actions.ts';
import { fitting } from './spf/extent.ts';
import { result, summary } from './spf/result.ts';

/** `url` is the public link. */
export function sharePage(check: SpfCheck, url: string): string {
  const { domain } = check.expansion;
  const actions = html`${checkAgain(domain)}${copyLink}`;
  const note = html`<p class="soft">Saved result. The domain's DNS records may have changed since.</p>`;
  return fitting((entries) =>
    document({ ...summary(check), url, main: result(check, { actions, note, entries }) }),
  );
}

/** The body of the redirect after saving, for clients that do not follow it. */
export function savedPage(path: string): string {
  return document({
    title: 'Saved',
    description: 'The result was saved.',
    main: html`<section class="lone"><h1>Saved</h1><p class="lead"><a href="${path}">Open the saved result</a></p></section>`,
  });
}
