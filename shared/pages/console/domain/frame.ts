/** The frame of the pages about one domain: its name, the other pages about it, and a message about the last action. */
import { domainPage } from '../../../alerts/page.ts';
import { html, type Markup, untrustedText } from '../../markup.ts';
import { readOnlyNote, type Visitor } from '../layout.ts';

/** A domain, and who looks at it. */
export interface ShownDomain extends Visitor {
  readonly id: string;
  readonly domain: string;
}

/** The pages about a domain, and what links and titles call them. */
export const pages = {
  '': 'Overview',
  dmarc: 'DMARC reports',
  subdomains: 'Subdomains',
  enforcement: 'Enforcement',
  tls: 'TLS reports',
  compliance: 'Compliance',
  history: 'History',
  report: 'Report',
  settings: 'Settings',
} as const;

type DomainPage = keyof typeof pages;

/** The address of a page about the domain. */
export const domainPath = (id: string, page: DomainPage = ''): string => domainPage(id, page);

/** The address of the page about a sender of the domain. @param query The window, as `windowQuery` writes it. */
export const senderPath = (id: string, senderId: string, query = ''): string =>
  `${domainPath(id)}/senders/${senderId}${query === '' ? '' : `?${query}`}`;

export function domainFrame(
  { id, domain, canWrite }: ShownDomain,
  current: DomainPage,
  content: Markup,
): Markup {
  const names = Object.entries(pages) as [DomainPage, string][];
  return html`<article class="of-domain wide about-one">
<header><p class="eyebrow"><a href="/console/domains">Domains</a></p>
<h1>${untrustedText(domain)}</h1>
<nav class="views" aria-label="Pages about ${domain}"><ul>${names.map(
    ([page, name]) =>
      html`<li><a href="${domainPath(id, page)}"${page === current ? html` aria-current="page"` : ''}>${name}</a></li>`,
  )}</ul></nav>
${readOnlyNote(canWrite)}</header>
${content}
</article>`;
}

/** What a page shows in place of content that does not exist yet: what is the case, and what to do. */
export function nothingYet(what: string, advice: Markup | string): Markup {
  return html`<section class="empty"><h2>${what}</h2><p>${advice}</p></section>`;
}
