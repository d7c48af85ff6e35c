/** The page with the domains of an organization: counts that filter, a filter, and the table. */
import { formatNumber } from '../../protocol/quantity.ts';
import { grade } from '../../score/grade.ts';
import type { DomainFilter } from '../../store/domains/select-rows.ts';
import type { SavedView } from '../../store/saved-views.ts';
import { DOMAINS_PER_PAGE, type DomainList } from '../../views/domain-list.ts';
import { shownPolicies } from '../../views/organization-figures.ts';
import { markLegend } from '../check-results/text.ts';
import { usageChoices } from '../check-results/usage.ts';
import { html, type Markup } from '../markup.ts';
import { options } from '../select.ts';
import { ADD_PATH, addForm } from './add-domains.ts';
import { DOMAINS_PATH, domainsPath, domainsQuery } from './domain-filter.ts';
import { domainTable, orderNames } from './domain-table.ts';
import { consoleDocument, readOnlyNote, type Visitor } from './layout.ts';
import { MANY_FORM, manyForm, manyOutcomes, savedViews, tickedIn } from './many-domains.ts';
import { policyNames } from './organization-figures.ts';

interface DomainsView extends DomainList, Visitor {
  readonly views: readonly SavedView[];
}

export function domainsPage(view: DomainsView): string {
  const { formToken, flash, figures, canWrite, unread } = view;
  const isEmpty = figures.total === 0;
  return consoleDocument({
    title: 'Domains',
    description: 'The domains of your organization and their email security',
    ...{ formToken, flash, current: DOMAINS_PATH, unread },
    main: html`<article class="of-domain wide"><header><h1>Domains</h1>
${isEmpty ? '' : listActions(view)}${readOnlyNote(canWrite)}</header>
${isEmpty ? noDomains(view) : domainSection(view)}
${isEmpty && canWrite ? html`${addForm(view)}<p><a href="${ADD_PATH}">Add many domains</a></p>` : ''}</article>`,
  });
}

function noDomains({ canWrite }: DomainsView): Markup {
  return html`<section class="empty"><h2>No domains yet</h2><p>${canWrite ? 'Add the first one below.' : 'Sign in with a token that has the scope write to add one.'}</p></section>`;
}

function listActions({ selection, canWrite }: DomainsView): Markup {
  return html`<p class="actions">${canWrite ? html`<a class="button small" href="${ADD_PATH}">Add domains</a>` : ''}<a class="button small" href="/console/domains.csv?${domainsQuery(selection)}">Save as CSV</a>${canWrite ? html`<a class="button small to-many" href="#with-selected">Many at once</a>` : ''}</p>`;
}

function domainSection(view: DomainsView): Markup {
  const { rows, selection, page, canWrite, formToken, flash, matching, unread } = view;
  const query = String(domainsQuery(selection));
  const list = String(domainsQuery(selection, page));
  return html`<section aria-labelledby="list"><h2 id="list" class="hush">${orderNames[selection.sort]}</h2>
${savedViews(view.views, { formToken, query, canWrite, flash })}
${counts(view)}
${filterForm(view)}
${manyOutcomes(view)}
${
  rows.length === 0
    ? html`<p>No domain matches. Change the filter, or <a href="${DOMAINS_PATH}">show all</a>.</p>`
    : html`${canWrite ? manyForm({ flash, formToken, query: list, matching }) : ''}${domainTable(view, canWrite ? MANY_FORM : undefined, tickedIn(flash))}${canWrite ? toSelected : ''}<div class="legend"><span class="soft">Signs of the checks:</span> ${markLegend}${unread.hasMore ? html`<span class="soft">Alerts counts the newest ${unread.count} unread ones of all domains.</span>` : ''}</div>`
}
${pager(view)}</section>`;
}

/** Stays in sight on a phone while a box is ticked, because the form is below the rows there. */
const toSelected = html`<a class="to-selected" href="#with-selected">With the selected …</a>`;

/** Each count is of all domains, and shows those that it counts. */
function counts({ figures, selection }: DomainsView): Markup {
  const { total, byGrade, byPolicy, verified, withoutReports } = figures;
  const { sort, ...filters } = selection;
  const only = (filter: Partial<DomainFilter>) => domainsPath({ ...filter, sort });
  const isAll = Object.values(filters).every((one) => one === undefined);
  const entries = [
    {
      name: 'all',
      count: total,
      to: only({}),
      isCurrent: isAll,
    },
    ...grade.options.map((one) => ({
      ...{ name: one, count: byGrade[one], to: only({ grade: one }), isCurrent: selection.grade === one },
    })),
    ...shownPolicies.map((one) => ({
      ...{ name: policyNames[one], count: byPolicy[one], to: only({ policy: one }) },
      isCurrent: selection.policy === one,
    })),
    {
      ...{ name: 'not verified', count: total - verified, to: only({ verified: false }) },
      isCurrent: selection.verified === false,
    },
    {
      ...{ name: 'without reports', count: withoutReports, to: only({ reports: false }) },
      isCurrent: selection.reports === false,
    },
  ];
  return html`<ul class="counts" aria-label="How many domains">${entries
    .filter(({ count, isCurrent }) => count > 0 || isCurrent)
    .map(
      ({ name, count, to, isCurrent }) =>
        html`<li><a href="${to}"${isCurrent ? html` aria-current="true"` : ''}><strong>${formatNumber(count)}</strong> ${name}</a></li>`,
    )}</ul>`;
}

/** The counts above it filter, too, and what they chose stays chosen. */
function filterForm({ selection, tags }: DomainsView): Markup {
  const { q = '', tag = '', usageType, ...others } = selection;
  return html`<form class="window" method="get" action="${DOMAINS_PATH}" role="search">${[
    ...domainsQuery(others),
  ].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label>Name contains <input type="search" name="q" value="${q}" maxlength="1000"></label>
<label>Tag <input type="search" name="tag" value="${tag}" maxlength="50" list="tags"></label><datalist id="tags">${tags.map((one) => html`<option value="${one}">`)}</datalist>
<label>Usage <select name="usageType"><option value="">any</option>${options(usageChoices, usageType)}</select></label>
<button class="small" data-busy="Loading…">Show</button>${domainsQuery(selection).size === 0 ? '' : html`<a href="${DOMAINS_PATH}">Show all</a>`}</form>`;
}

function pager({ selection, page, matching, rows }: DomainsView): Markup {
  const first = (page - 1) * DOMAINS_PER_PAGE + 1;
  const to = (n: number) => domainsPath(selection, n);
  const isLast = page * DOMAINS_PER_PAGE >= matching;
  return html`<nav class="actions" aria-label="Pages of domains">${rows.length === 0 ? '' : html`<span>${formatNumber(first)}–${formatNumber(first + rows.length - 1)} of ${formatNumber(matching)}</span>`}${page > 1 ? html`<a class="button small" rel="prev" href="${to(page - 1)}">Previous domains</a>` : ''}${isLast ? '' : html`<a class="button small" rel="next" href="${to(page + 1)}">Next domains</a>`}</nav>`;
}
