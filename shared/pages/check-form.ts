/** The domain form. It uses GET, so every result has its own URL. */
import { html, type Markup } from './markup.ts';

export interface FormState {
  readonly domain: string;
  /** Why the domain cannot be checked, as the predicate of a sentence: `must not be empty`. */
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

/** The path of the page that checks a domain. */
export function checkPath(domain: string): string {
  return `/?${new URLSearchParams({ domain })}`;
}
