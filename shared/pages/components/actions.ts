/** The actions on a result. */
import { checkPath } from '../check-form.ts';
import { html, type Markup } from '../markup.ts';

export function checkAgain(domain: string): Markup {
  return html`<a class="button" rel="nofollow" href="${checkPath('/spf', domain)}">Check again</a>`;
}

export function saveForm(domain: string): Markup {
  return html`<form method="post" action="/s/spf"><input type="hidden" name="domain" value="${domain}"><button data-busy="Saving…">Save and share</button></form>`;
}

export const copyLink: Markup = html`<button type="button" data-copy="" hidden>Copy link</button>`;

/** A button that copies the text of every `code` in the element `id`, one per line. */
export function copyButton(id: string, what: string): Markup {
  return html`<button type="button" class="small" data-copy="${id}" hidden>Copy ${what}</button>`;
}
