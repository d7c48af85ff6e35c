/** What a search of the console found: domains, senders and pages. */
import { pluralize } from '../../protocol/quantity.ts';
import type { Found } from '../../views/search.ts';
import { percent } from '../charts/shares.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { ADD_PATH } from './add-domains.ts';
import { DELIVERIES_PATH } from './alert-filter.ts';
import { domainPath, pages } from './domain/frame.ts';
import { senderKinds } from './domain/sender-table.ts';
import { consoleDocument, places, type Visit } from './layout.ts';
import { SETTINGS_PATH } from './settings.ts';

/** Pages, by what they are called and what they are about. */
const findable: readonly (readonly [path: string, name: string, about: string])[] = [
  ...places.map(([path, name]) => [path, name, ''] as const),
  [ADD_PATH, 'Add domains', 'register new many list'],
  [DELIVERIES_PATH, 'Deliveries', 'alerts mails webhooks sent failed'],
  [`${SETTINGS_PATH}#notifications`, 'Notifications', 'mail webhook slack teams digest alerts'],
  [`${SETTINGS_PATH}#sessions`, 'Sessions', 'sign out everywhere browser'],
  [`${SETTINGS_PATH}#tokens`, 'Tokens', 'api key scope network revoke'],
  [`${SETTINGS_PATH}#limits`, 'Limits', 'retention domains score threshold'],
  [`${SETTINGS_PATH}#audit`, 'Audit log', 'who changed history'],
];

/** The pages about a domain that its result links to. */
const ofDomain = ['dmarc', 'enforcement', 'tls', 'history', 'settings'] as const;

export function searchPage(view: Found & Visit): string {
  const { text, formToken, flash } = view;
  const found = pagesNamed(text);
  const count = view.domains.length + view.senders.length + found.length;
  return consoleDocument({
    title: text === '' ? 'Search' : `Search: ${text.slice(0, MAX_TITLE)}`,
    description: 'Search for domains, senders, and pages',
    ...{ formToken, flash, searched: text },
    main: html`<article class="of-domain"><header><h1>Search</h1>
<p class="soft">${text === '' ? 'Enter part of a domain, of a sender, or of the name of a page in the field above.' : html`Results for <strong>${visibleStart(text, 200)}</strong>: ${count === 0 ? 'none' : pluralize(count, 'result')}.`}</p></header>
${domainResults(view)}${senderResults(view)}${pageResults(found)}</article>`,
  });
}

const MAX_TITLE = 60;

function pagesNamed(text: string): typeof findable {
  const part = text.trim().toLowerCase();
  return part.length < 2
    ? []
    : findable.filter(([, name, about]) => name.toLowerCase().includes(part) || about.includes(part));
}

function domainResults({ text, domains, hasMoreDomains }: Found): Markup {
  if (domains.length === 0) return html``;
  return html`<section aria-labelledby="domains"><h2 id="domains">Domains</h2><ul class="cards">${domains.map(
    ({ id, domain }) =>
      html`<li class="card"><h3><a href="${domainPath(id)}">${untrustedText(domain)}</a></h3><p class="legend">${ofDomain.map((page) => html`<a href="${domainPath(id, page)}">${pages[page]}</a> `)}</p></li>`,
  )}</ul>${hasMoreDomains ? html`<p><a href="/console/domains?${new URLSearchParams({ q: text })}">All domains that match</a></p>` : ''}</section>`;
}

function senderResults({ text, senders, hasMoreSenders }: Found): Markup {
  if (senders.length === 0) return html``;
  const all = (name: string) => `/console/senders?${new URLSearchParams({ q: name })}`;
  return html`<section aria-labelledby="senders"><h2 id="senders">Senders</h2><ul class="cards">${senders.map(
    ({ name, kind, messages, passedMessages, domains }) =>
      html`<li class="card"><h3><a href="${all(name)}">${visibleStart(name, 120)}</a> <span class="soft">${senderKinds[kind]}</span></h3><p class="soft">${pluralize(messages, 'message')} as ${pluralize(domains, 'domain')}, ${percent(passedMessages, messages)} pass</p></li>`,
  )}</ul>${hasMoreSenders ? html`<p><a href="${all(text)}">All senders that match</a></p>` : ''}</section>`;
}

function pageResults(found: typeof findable): Markup {
  if (found.length === 0) return html``;
  return html`<section aria-labelledby="pages"><h2 id="pages">Pages</h2><ul class="cards">${found.map(([path, name]) => html`<li class="card"><a href="${path}">${name}</a></li>`)}</ul></section>`;
}
