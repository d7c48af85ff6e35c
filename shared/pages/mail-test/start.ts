/** The form that starts a mail test, and the page after it. */
import { document } from '../document.ts';
import { html, type Markup } from '../markup.ts';

export function startForm(label: string): Markup {
  return html`<form method="post" action="/t"><button data-busy="One moment…">${label}</button></form>`;
}

/** The section about the mail tester on the page at `/`. */
export const invitation: Markup = html`<section class="invitation" aria-labelledby="test">
<h2 id="test">Does your mail land in spam?</h2>
<p>Send one message to a one-time address to see how receiving servers rate it: SPF, DKIM, DMARC, reverse DNS, blocklists, and a spam score.</p>
${startForm('Get a test address')}
</section>`;

/** The body of the redirect after the form, for clients that do not follow it. */
export function startedPage(path: string): string {
  return document({
    title: 'Your test address',
    description: 'Your test has started.',
    site: 'Mail test',
    main: html`<section class="lone"><h1>Test started</h1><p class="lead"><a href="${path}">Open the test</a></p></section>`,
  });
}
