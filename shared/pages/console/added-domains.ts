/** What became of each domain of a form that adds many. */
import { pluralize } from '../../protocol/quantity.ts';
import type { Domain } from '../../store/domains/domain.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { domainPath } from './domain/frame.ts';
import { addManyForm, type TypedDomains } from './domains.ts';
import { consoleDocument } from './layout.ts';

interface AddedDomainsView {
  /** In the order of the form: the registered domain, or why there is none. */
  readonly outcomes: readonly AddedDomain[];
  readonly typed: TypedDomains;
  readonly formToken: string;
}

interface AddedDomain {
  readonly typed: string;
  readonly domain?: Domain;
  /** A sentence. */
  readonly problem?: string;
}

/** As many characters of each name are shown as fit 100 domains on a page. */
const MAX_NAME = 100;

export function addedDomainsPage({ outcomes, typed, formToken }: AddedDomainsView): string {
  const refused = outcomes.filter(({ domain }) => domain === undefined);
  const again = { ...typed, domains: refused.map((one) => one.typed).join('\n') };
  const title = `${outcomes.length - refused.length} of ${pluralize(outcomes.length, 'domain')} added`;
  return consoleDocument({
    title,
    description: 'What became of each domain',
    formToken,
    main: html`<article class="of-domain"><header><p class="eyebrow"><a href="/console">Domains</a></p><h1>${title}</h1></header>
<section aria-labelledby="each"><h2 id="each">Each domain</h2><ol class="outcomes">${outcomes.map((one) => html`<li>${outcomeOf(one)}</li>`)}</ol></section>
${refused.length === 0 ? '' : addManyForm(formToken, again, 'Try the others again')}</article>`,
  });
}

function outcomeOf({ typed, domain, problem = '' }: AddedDomain): Markup {
  return domain === undefined
    ? html`<strong class="fail">Not added:</strong> ${visibleStart(typed, MAX_NAME)} <span class="soft">${problem}</span>`
    : html`<strong class="pass">Added:</strong> <a href="${domainPath(domain.id)}">${untrustedText(domain.domain)}</a>`;
}
