/** The page with the domains of an organization, and the forms that add some. */
import { checkTitles } from '../../checks/checks.ts';
import { checkNames } from '../../checks/state.ts';
import { formatNumber } from '../../protocol/quantity.ts';
import { grade } from '../../score/grade.ts';
import { gradeOf } from '../../score/score.ts';
import type { DomainFilter } from '../../store/domains/select-rows.ts';
import type { Flash } from '../../store/flashes.ts';
import type { DomainList, DomainRow } from '../../views/domain-list.ts';
import { percent } from '../charts/shares.ts';
import { sparkline } from '../charts/sparkline.ts';
import { day, markLegend, signOf } from '../check-results/text.ts';
import { usageOptions } from '../check-results/usage.ts';
import { html, type Markup, untrustedText } from '../markup.ts';
import { asChoices, options } from '../select.ts';
import { ADD_PATH, addForm } from './add-domains.ts';
import { alertsPath } from './alert-filter.ts';
import { domainPath } from './domain/frame.ts';
import { DOMAINS_PATH, domainsPath, domainsQuery } from './domain-filter.ts';
import { consoleDocument, readOnlyNote } from './layout.ts';

interface DomainsView extends DomainList {
  readonly canWrite: boolean;
  readonly formToken: string;
  readonly flash?: Flash | undefined;
}

const orderNames: Readonly<Record<DomainFilter['sort'], string>> = {
  '-change': 'Greatest gain first',
  change: 'Greatest loss first',
  policy: 'Weakest policy first',
  '-policy': 'Strongest policy first',
  passing: 'Least mail that passes first',
  '-passing': 'Most mail that passes first',
  '-messages': 'Most messages first',
  messages: 'Fewest messages first',
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
  const isEmpty = rows.length === 0 && page === 1 && domainsQuery(selection).size === 0;
  return consoleDocument({
    title: 'Domains',
    description: 'The domains of your organization and their email security',
    ...{ formToken, flash, current: DOMAINS_PATH, isAboutAll: true },
    main: html`<article class="of-domain${isEmpty ? '' : ' wide'}"><header><h1>Domains</h1>
${isEmpty ? '' : listActions(view)}${readOnlyNote(view.canWrite)}</header>
${isEmpty ? noDomains(view) : domainList(view)}
${isEmpty && view.canWrite ? html`${addForm(view)}<p><a href="${ADD_PATH}">Add many domains</a></p>` : ''}</article>`,
  });
}

function noDomains({ canWrite }: DomainsView): Markup {
  return html`<section class="empty"><h2>No domains yet</h2><p>${canWrite ? 'Add the first one below.' : 'Sign in with a token that has the scope write to add one.'}</p></section>`;
}

function listActions({ selection, canWrite }: DomainsView): Markup {
  const query = domainsQuery(selection);
  return html`<p class="actions">${canWrite ? html`<a class="button" href="${ADD_PATH}">Add domains</a>` : ''}<a class="button" href="/console/domains.csv?${query}">Save as CSV</a>${query.size === 0 ? '' : html`<a class="button" href="${DOMAINS_PATH}">Show all</a>`}</p>`;
}

function domainList(view: DomainsView): Markup {
  const { rows, selection } = view;
  return html`<section aria-labelledby="list"><h2 id="list" class="hush">${orderNames[selection.sort]}</h2>
${filterForm(selection)}
${rows.length === 0 ? html`<p>No domain matches. Change the filter, or show all.</p>` : html`${domainTable(view)}<div class="legend"><span class="soft">Signs of the checks:</span> ${markLegend}</div>`}
${pager(view)}</section>`;
}

function domainTable({ rows, selection }: DomainsView): Markup {
  const heading = (name: string) => html`<th scope="col">${name}</th>`;
  const label = `Domains: ${orderNames[selection.sort].toLowerCase()}`;
  return html`<div class="scroll domains" tabindex="0" role="region" aria-label="${label}"><table><caption class="hush">${label}</caption><thead><tr>${['Domain', 'Score', 'Trend', 'Mail that passes', 'Messages', 'Alerts'].map(heading)}${checkNames.map((name) => heading(checkTitles[name]))}${heading('Checked')}</tr></thead><tbody>${rows.map(domainRow)}</tbody></table></div>`;
}

function filterForm({ q = '', tag = '', usageType, grade: wanted, verified, sort }: DomainFilter): Markup {
  const ownership = [
    ['true', 'verified'],
    ['false', 'not verified'],
  ] as const;
  return html`<form class="window" method="get" action="${DOMAINS_PATH}">
<label>Name contains <input type="search" name="q" value="${q}" maxlength="1000"></label>
<label>Tag <input type="search" name="tag" value="${tag}" maxlength="50"></label>
<label>Usage <select name="usageType"><option value="">any</option>${usageOptions(usageType ?? '')}</select></label>
<label>Grade <select name="grade"><option value="">any</option>${options(asChoices(grade.options), wanted)}</select></label>
<label>Ownership <select name="verified"><option value="">any</option>${options(ownership, String(verified))}</select></label>
<label>Order <select name="sort">${options(Object.entries(orderNames), sort)}</select></label>
<button class="small" data-busy="Loading…">Show</button></form>`;
}

function domainRow({ domain, scores, unread, messages, passed }: DomainRow): Markup {
  const { id, domain: name, usageType, tags, verified, lastCheckedAt, states = {} } = domain;
  const score = domain.scores?.[usageType];
  return html`<tr><th scope="row"><a href="${domainPath(id)}">${untrustedText(name)}</a>${verified ? '' : html` <span class="tag open">not verified</span>`}${tags.length === 0 ? '' : html` <span class="soft">${tagsInWords(tags)}</span>`}</th>
<td>${typeof score === 'number' ? html`<strong>${gradeOf(score).grade}</strong> ${score}` : lastCheckedAt === null ? 'not checked' : 'none'}</td><td>${scores.length < 2 ? '' : sparkline('Score', scores)}</td>
<td>${messages === 0 ? 'no reports' : percent(passed, messages)}</td><td>${messages === 0 ? '' : formatNumber(messages)}</td>
<td>${unread.count === 0 ? '' : html`<a href="${alertsPath({ domain: id, unread: true })}">${unread.count}${unread.hasMore ? '+' : ''}<span class="hush"> ${unreadInWords(unread)}</span></a>`}</td>
${checkNames.map((check) => html`<td class="state-sign">${signOf(states[check] ?? 'unknown')}</td>`)}<td>${lastCheckedAt === null ? '' : day(lastCheckedAt)}</td></tr>`;
}

const unreadInWords = ({ count, hasMore }: DomainRow['unread']): string =>
  hasMore ? `more than ${count} unread alerts` : count === 1 ? '1 unread alert' : `${count} unread alerts`;

function tagsInWords(tags: readonly string[]): Markup {
  const left = tags.length - MAX_TAGS;
  return html`${tags.slice(0, MAX_TAGS).join(', ')}${left > 0 ? html` <span class="note">and ${left} more</span>` : ''}`;
}

function pager({ selection, page, hasMore }: DomainsView): Markup {
  if (page === 1 && !hasMore) return html``;
  const to = (n: number) => domainsPath(selection, n);
  return html`<nav class="actions" aria-label="Pages of domains">${page > 1 ? html`<a class="button" rel="prev" href="${to(page - 1)}">Previous domains</a>` : ''}${hasMore ? html`<a class="button" rel="next" href="${to(page + 1)}">Next domains</a>` : ''}</nav>`;
}
