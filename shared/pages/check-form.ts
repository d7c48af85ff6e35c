/** The form that asks for a domain; a plain GET, so its result has an address of its own. */
import { html, type Markup } from './markup.ts';

export interface FormState {
  readonly domain: string;
  /** Why the domain cannot be checked. */
  readonly problem?: string;
  readonly autofocus?: boolean;
}

export function checkForm({ domain, problem, autofocus = false }: FormState): Markup {
  return html`<form class="check" action="/" method="get" role="search">
<label for="domain">Domain</label>
<div class="row">
<input id="domain" name="domain" value="${domain}" type="text" inputmode="url" maxlength="1000" required placeholder="example.org" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${autofocus ? html` autofocus` : ''}${problem === undefined ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
<button data-busy="Checking…">Check</button>
</div>
${problem === undefined ? '' : html`<p id="problem" class="problem" role="alert">The domain ${problem}.</p>`}
</form>`;
}

/** Where a domain is checked in the browser. */
export function checkPath(domain: string): string {
  return `/?${new URLSearchParams({ domain })}`;
}
