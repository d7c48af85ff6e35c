/** The form for a domain. It uses GET, so every result has its own URL. */
import { withoutWww } from '../protocol/domain-name.ts';
import { html, type Markup } from './markup.ts';

/** The paths of the pages that check a domain and an SPF record. */
type CheckPage = '/' | '/spf';

export interface FormState {
  readonly domain: string;
  /** Why the domain cannot be checked, as the predicate of a sentence: `must not be empty`. */
  readonly problem?: string;
  readonly autofocus?: boolean;
}

export function checkForm(
  action: CheckPage,
  { domain, problem, autofocus = false }: FormState,
  more = html``,
): Markup {
  const beside = withoutWww(domain.trim());
  return html`<form class="check" action="${action}" method="get" role="search">
<label for="domain">Domain</label>
<div class="row">
<input id="domain" name="domain" value="${domain}" type="text" inputmode="url" maxlength="1000" required placeholder="example.org" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${autofocus ? html` autofocus` : ''}${problem === undefined ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
<button data-busy="Checking…">Check</button>
</div>
${problem === undefined ? '' : html`<p id="problem" class="problem" role="alert">The domain ${problem}.</p>`}${beside === undefined ? '' : html`<p class="soft">Web sites begin with www., and mail domains do not: <a rel="nofollow" href="${checkPath(action, beside)}">check ${beside}</a></p>`}${more}
</form>`;
}

/** The address of the page with the result for `domain`. */
export function checkPath(
  page: CheckPage | '/check',
  domain: string,
  more: Readonly<Record<string, string>> = {},
): string {
  return `${page}?${new URLSearchParams({ domain, ...more })}`;
}
