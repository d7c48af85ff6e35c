/** How a test is started from a page. */
import { document } from '../document.ts';
import { html, type Markup } from '../markup.ts';

export function startForm(label: string): Markup {
  return html`<form method="post" action="/t"><button data-busy="One moment…">${label}</button></form>`;
}

/** The invitation on the page at `/`. */
export const invitation: Markup = html`<section class="invitation" aria-labelledby="test">
<h2 id="test">Is your mail taken for spam?</h2>
<p>Send one message to an address made for you, and see what receivers make of it: SPF, DKIM, DMARC, reverse DNS and blocklists, scored.</p>
${startForm('Get a test address')}
</section>`;

/** What follows the form, for the few that do not follow a redirect. */
export function startedPage(path: string): string {
  return document({
    title: 'Your test address',
    description: 'The test has been started.',
    site: 'Mail test',
    main: html`<section class="lone"><h1>Started</h1><p class="lead"><a href="${path}">Open the test</a></p></section>`,
  });
}
