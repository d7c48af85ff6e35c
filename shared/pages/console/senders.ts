/** The page with the senders of all domains of an organization. */
import type { OrganizationSource, OrganizationTotals } from '../../enforcement/organization-shapes.ts';
import { printable } from '../../protocol/printable.ts';
import { formatNumber } from '../../protocol/quantity.ts';
import { percent } from '../charts/shares.ts';
import { daysFromTo } from '../check-results/text.ts';
import { html, type Markup, timeElement, visibleStart } from '../markup.ts';
import { pager } from '../pager.ts';
import { nothingYet, senderPath } from './domain/frame.ts';
import { senderKinds } from './domain/sender-table.ts';
import { consoleDocument, type Visit } from './layout.ts';
import { organizationSenderPath, SENDERS_PATH } from './sender-paths.ts';

interface SendersView extends Visit {
  readonly totals: OrganizationTotals;
  /** Those of this page, most messages first. */
  readonly sources: readonly OrganizationSource[];
  readonly page: number;
  readonly hasMore: boolean;
  /** Whether only senders with failures are shown. */
  readonly failing: boolean;
  /** Part of the names that are shown. */
  readonly q?: string | undefined;
}

const PATH = SENDERS_PATH;

export function sendersPage(view: SendersView): string {
  const { totals, failing, q } = view;
  const link = (isFailing: boolean) => queryOf({ failing: isFailing, q });
  return consoleDocument({
    title: 'Senders',
    description: 'Who sends as your domains',
    ...{ formToken: view.formToken, flash: view.flash, current: PATH },
    main: html`<article class="of-domain wide"><header><h1>Senders</h1>
<p class="soft">Who sent as your domains, ${daysFromTo(totals.startDate, totals.endDate)}, according to DMARC reports. The page of a sender decides about it for all of its domains.</p></header>
<form class="window" method="get" action="${PATH}">${failing ? html`<input type="hidden" name="failing" value="true">` : ''}<label>Name contains <input type="search" name="q" value="${q ?? ''}" maxlength="253"></label> <button class="small" data-busy="Loading…">Show</button>
<ul aria-label="Senders">${filterLink(link(false), 'All senders', !failing)}${filterLink(link(true), 'With failures', failing)}</ul></form>
${totals.domains === 0 ? noReports() : senderSections(view)}</article>`,
  });
}

function queryOf({ failing, q, page = 1 }: Pick<SendersView, 'failing' | 'q'> & { page?: number }): string {
  const given = {
    ...(failing && { failing: 'true' }),
    ...(q !== undefined && { q }),
    ...(page > 1 && { page: String(page) }),
  };
  const query = new URLSearchParams(given);
  return query.size === 0 ? '' : `?${query}`;
}

function filterLink(query: string, name: string, isCurrent: boolean): Markup {
  return html`<li><a href="${PATH}${query}"${isCurrent ? html` aria-current="true"` : ''}>${name}</a></li>`;
}

const noReports = (): Markup =>
  nothingYet(
    'No reports yet',
    html`Senders appear here when DMARC reports arrive. The page of each <a href="/console/domains">domain</a> shows the record that asks for them.`,
  );

function senderSections(view: SendersView): Markup {
  const { totals, sources, page, hasMore, failing, q } = view;
  const { messages, passedMessages, domains, asOf } = totals;
  return html`<section aria-labelledby="totals"><h2 id="totals" class="hush">All domains</h2>
<dl class="inline"><div><dt>Messages</dt><dd>${formatNumber(messages)}</dd></div><div><dt>Mail that passes</dt><dd>${percent(passedMessages, messages)}</dd></div><div><dt>Domains with messages</dt><dd>${formatNumber(domains)}${totals.hasMore ? ' and more' : ''}</dd></div>${asOf === null ? '' : html`<div><dt>As of</dt><dd>${timeElement(asOf)}</dd></div>`}</dl></section>
<section aria-labelledby="list"><h2 id="list" class="hush">Most messages first</h2>
${sources.length > 0 ? senderTable(sources) : html`<p>${failing && q === undefined ? 'No sender has messages that failed DMARC.' : q === undefined ? 'There are no more senders.' : 'No sender matches.'} <a href="${PATH}">Show all senders</a></p>`}</section>
${pager({ page, hasMore, of: 'of senders', names: ['More messages', 'Fewer messages'], to: (n) => `${PATH}${queryOf({ failing, q, page: n })}` })}`;
}

function senderTable(sources: readonly OrganizationSource[]): Markup {
  return html`<div class="scroll domains senders plain-rows" tabindex="0" role="region" aria-label="Table of senders"><table><caption class="hush">Senders, most messages first</caption><thead><tr><th scope="col">Sender</th><th scope="col" class="num">Messages</th><th scope="col" class="num">Pass</th><th scope="col" class="num">Domains</th><th scope="col" class="late mid">Seen</th><th scope="col" class="next mid">Most failures</th><th scope="col">Decision</th></tr></thead><tbody>${sources.map(senderRow)}</tbody></table></div>`;
}

function senderRow({
  id,
  name,
  kind,
  domains,
  messages,
  passedMessages,
  ...seen
}: OrganizationSource): Markup {
  return html`<tr><th scope="row"><a href="${organizationSenderPath(id)}">${visibleStart(name, 120)}</a> <span class="soft">${senderKinds[kind]}</span></th>
<td class="num" data-unit="messages">${formatNumber(messages)}</td><td class="num" data-unit="pass">${percent(passedMessages, messages)}</td><td class="num" data-unit="${domains === 1 ? 'domain' : 'domains'}">${formatNumber(domains)}</td><td class="late mid">${daysFromTo(seen.firstSeen, seen.lastSeen)}</td><td class="next mid">${seen.mostFailed.map(
    ({ domainId, domain, failedMessages }, at) =>
      html`${at === 0 ? '' : ', '}<a href="${senderPath(domainId, id)}">${visibleStart(domain, 100)}</a> ${formatNumber(failedMessages)}`,
  )}</td><td class="decision"><a class="button small" href="${organizationSenderPath(id)}#decision">Decide<span class="hush"> about ${printable(name, 120)}</span></a></td></tr>`;
}
