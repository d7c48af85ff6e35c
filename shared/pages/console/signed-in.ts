import { html } from '../markup.ts';
import { consoleDocument } from './layout.ts';

/**
 * A page that leads to another one at once. The answer of the identity provider came from another site, so a redirect would
 * not send the strict cookie of the session; what this page loads comes from here.
 */
export function signedInPage(to: string): string {
  return consoleDocument({
    title: 'Signed in',
    description: 'You are signed in.',
    formToken: undefined,
    head: html`<meta http-equiv="refresh" content="0;url=${to}">`,
    main: html`<section class="lone">
<h1>You are signed in</h1>
<p><a href="${to}">Continue to the console</a></p>
</section>`,
  });
}
