/** The page with the domains of an organization, and the forms that add some. */
import { formatNumber } from '../../protocol/quantity.ts';
import { grade } from '../../score/grade.ts';
import { gradeOf } from '../../score/score.ts';
import type { DomainFilter } from '../../store/domains/select-rows.ts';
import type { Flash } from '../../store/flashes.ts';
import type { DomainList, DomainRow } from '../../views/domain-list.ts';
import { percent } from '../charts/shares.ts';
import { sparkline } from '../charts/sparkline.ts';
import { checkMarks, markLegend } from '../check-results/text.ts';
import { usageNames, usageOptions } from '../check-results/usage.ts';
import { eventTime, html, type Markup, untrustedText } from '../markup.ts';
import { asChoices, options } from '../select.ts';
import { ADD_PATH, addForm } from './add-domains.ts';
import { alertsPath } from './alert-filter.ts';
import { attentionBlock } from './attention.ts';
import { domainPath } from './domain/frame.ts';
import { consoleDocument, readOnlyNote } from './layout.ts';

interface DomainsView extends DomainList {
  readonly canWrite: boolean;
  readonly formToken: string;
  readonly flash?: Flash | undefined;
}

const orderNames: Readonly<Record<DomainFilter['sort'], string>> = {
  '-grade': 'Lowest score first',
  grade: 'Highest score first',
  domain: 'By name',
  '-domain': 'By name, Z to A',
  '-createdAt': 'Newest first',
  createdAt: 'Oldest first',
};

/** The tags of a domain that the list shows; 25 domains with all of their tags would be too much. */
const MAX_TAGS = 6;

export function domainsPage(view: DomainsView): string {
  const { formToken, flash, rows, selection, page } = view;
  const isEmpty = rows.length === 0 && page === 1 && queryOf(selection).size === 0;
  return consoleDocument({
    title: 'Domains',
    description: 'The domains of your organization and their email security',
    ...{ formToken, flash, current: '/console' },
    main: html`<article class="of-domain"><header><h1>Domains</h1>
${readOnlyNote(view.canWrite)}${view.canWrite && !isEmpty ? html`<p class="actions"><a class="button" href="${ADD_PATH}">Add domains</a></p>` : ''}</header>
${attentionBlock(view.attention, view)}
${isEmpty ? noDomains(view) : domainList(view)}
${isEmpty && view.canWrite ? html`${addForm(view)}<p><a href="${ADD_PATH}">Add many domains</a></p>` : ''}</article>`,
  });
}

/** The query of a list, without what is the default. */
function queryOf({ sort, ...filter }: DomainFilter, page = 1): URLSearchParams {
  const all = { ...filter, sort: sort === '-grade' ? undefined : sort, page: page === 1 ? undefined : page };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
}

function noDomains({ canWrite }: DomainsView): Markup {
  return html`<section class="empty"><h2>No domains yet</h2><p>${canWrite ? 'Add the first one below.' : 'Sign in with a token that has the scope write to add one.'}</p></section>`;
}

function domainList(view: DomainsView): Markup {
  const { rows, selection } = view;
  const query = queryOf(selection);
  return html`<section aria-labelledby="list"><h2 id="list">${orderNames[selection.sort]}</h2>
${filterForm(selection)}
<p class="actions">${query.size === 0 ? '' : html`<a class="button" href="/console">Show all</a>`}<a class="button" href="/console/domains.csv?${query}">Save as CSV</a></p>
${rows.length === 0 ? html`<p>No domain matches. Change the filter, or show all.</p>` : html`<div class="legend"><span class="soft">Signs of the checks:</span> ${markLegend}</div><ul class="cards">${rows.map(domainCard)}</ul>`}
${pager(view)}</section>`;
}

function filterForm({ q = '', tag = '', usageType, grade: wanted, verified, sort }: DomainFilter): Markup {
  const ownership = [
    ['true', 'verified'],
    ['false', 'not verified'],
  ] as const;
  return html`<form class="window" method="get" action="/console">
<label>Name contains <input type="search" name="q" value="${q}" maxlength="1000"></label>
<label>Tag <input type="search" name="tag" value="${tag}" maxlength="50"></label>
<label>Usage <select name="usageType"><option value="">any</option>${usageOptions(usageType ?? '')}</select></label>
<label>Grade <select name="grade"><option value="">any</option>${options(asChoices(grade.options), wanted)}</select></label>
<label>Ownership <select name="verified"><option value="">any</option>${options(ownership, String(verified))}</select></label>
<label>Order <select name="sort">${options(Object.entries(orderNames), sort)}</select></label>
<button class="small" data-busy="Loading…">Show</button></form>`;
}

function domainCard({ domain, scores, unread, messages, passed }: DomainRow): Markup {
  const { id, domain: name, usageType, tags, verified, lastCheckedAt, states } = domain;
  const score = domain.scores?.[usageType];
  return html`<li class="card"><div class="head"><h3><a href="${domainPath(id)}">${untrustedText(name)}</a></h3>
${verified ? '' : html`<span class="tag open">not verified</span>`}${unread.count === 0 ? '' : html`<a class="tag fail" href="${alertsPath({ domain: id, unread: true })}">${unreadInWords(unread)}</a>`}</div>
<dl class="inline"><div><dt>Grade</dt><dd>${typeof score === 'number' ? html`${gradeOf(score).grade} (${score} of 100)` : 'none yet'}</dd></div>${scores.length < 2 ? '' : html`<div><dt>Score over time</dt><dd>${sparkline('Score', scores)}</dd></div>`}<div><dt>Pass DMARC, 30 days</dt><dd>${messages === 0 ? 'no reports' : html`${percent(passed, messages)} of ${formatNumber(messages)}`}</dd></div><div><dt>Usage</dt><dd>${usageNames[usageType]}</dd></div><div><dt>Last check</dt><dd>${lastCheckedAt === null ? 'none yet' : eventTime(lastCheckedAt)}</dd></div>${tags.length === 0 ? '' : html`<div><dt>Tags</dt><dd>${tagsInWords(tags)}</dd></div>`}</dl>
${states === undefined ? '' : checkMarks(states)}</li>`;
}

const unreadInWords = ({ count, hasMore }: DomainRow['unread']): string =>
  hasMore ? `more than ${count} unread alerts` : count === 1 ? '1 unread alert' : `${count} unread alerts`;

function tagsInWords(tags: readonly string[]): Markup {
  const left = tags.length - MAX_TAGS;
  return html`${tags.slice(0, MAX_TAGS).join(', ')}${left > 0 ? html` <span class="note">and ${left} more</span>` : ''}`;
}

function pager({ selection, page, hasMore }: DomainsView): Markup {
  if (page === 1 && !hasMore) return html``;
  const to = (n: number) => `/console?${queryOf(selection, n)}`;
  return html`<nav class="actions" aria-label="Pages of domains">${page > 1 ? html`<a class="button" rel="prev" href="${to(page - 1)}">Previous domains</a>` : ''}${hasMore ? html`<a class="button" rel="next" href="${to(page + 1)}">Next domains</a>` : ''}</nav>`;
}
