/** The forms that do the same for many domains, and what became of each. */
import { MOST_IN_FORM } from '../../api/many-domains.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import type { Flash } from '../../store/flashes.ts';
import type { SavedView } from '../../store/saved-views.ts';
import { usageChoices } from '../check-results/usage.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { options } from '../select.ts';
import { DOMAINS_PATH } from './domain-filter.ts';
import { formState } from './form-fields.ts';
import { formTokenField, type Visit, type Visitor } from './layout.ts';

/** The form that the boxes of the table belong to. */
export const MANY_FORM = 'many';

interface Selecting extends Visit {
  /** The query of the list. */
  readonly query: string;
  /** How many domains the list has. */
  readonly matching: number;
}

/** The boxes that were ticked in a form that did nothing: by the names that `boxOf` gives. */
export const tickedIn = (flash: Flash | undefined): ReadonlySet<string> =>
  new Set(flash?.kind === 'refused' ? Object.keys(flash.typed) : []);

/** The controls for the domains that are selected in the table. */
export function manyForm({ flash, formToken, query, matching }: Selecting): Markup {
  const form = formState('updateManyInConsole', flash);
  const to = (path: string) => html`formaction="${DOMAINS_PATH}/${path}"`;
  return html`<form id="${MANY_FORM}" class="window" method="post" action="${DOMAINS_PATH}/update">${formTokenField(formToken)}<input type="hidden" name="list" value="${query}">
<strong id="with-selected">With the selected</strong>
<label><input type="checkbox" name="all" value="on"> ${matching > MOST_IN_FORM ? `the first ${formatNumber(MOST_IN_FORM)} of ${formatNumber(matching)} domains` : `all ${pluralize(matching, 'domain')}`}</label>
<label>Tag <input ${form.attributes('tag')} value="${form.value('tag')}" maxlength="50" list="tags" autocomplete="off"></label>
<button class="small" name="do" value="tag" data-busy="Adding…">Add tag</button><button class="small" name="do" value="untag" data-busy="Removing…">Remove tag</button>
${form.problem('tag')}<label>Usage <select ${form.attributes('usageType')}><option value="">choose</option>${options(usageChoices, undefined)}</select></label>
<button class="small" name="do" value="usage" data-busy="Setting…">Set usage</button>${form.problem('usageType')}
<button class="small" ${to('check')} data-busy="Checking…">Check</button>
<button class="small" ${to('verify')} data-busy="Verifying…">Verify</button>
<span>Ownership records <button class="small" name="do" value="zone">Zone file</button> <button class="small" name="do" value="csv">CSV</button></span></form>`;
}

/** In characters of a message. */
const MAX_PROBLEM = 200;

/** What became of the domains of a form, and the button that goes on with those that are left, or that answers a question. */
export function manyOutcomes({ flash, formToken }: Visit): Markup {
  const added = flash?.added ?? [];
  const left = flash?.typed.ids ?? '';
  if (flash === undefined || (added.length === 0 && left === '')) return html``;
  const count = left.split(',').length;
  return html`${
    added.length === 0
      ? ''
      : html`<section aria-labelledby="each"><h2 id="each">Not done</h2><ul class="outcomes">${added.map(
          ({ typed, problem = '' }) =>
            html`<li>${untrustedText(typed)} <span class="soft">${visibleStart(problem, MAX_PROBLEM)}</span></li>`,
        )}</ul></section>`
  }${
    left === ''
      ? ''
      : html`<form method="post" action="${flash.action}" class="actions">${formTokenField(formToken)}${Object.entries(
          flash.typed,
        ).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${
          flash.kind === 'question' && flash.added === undefined
            ? html`<button data-busy="Setting…">Set the usage of ${pluralize(count, 'domain')}</button>`
            : html`<button data-busy="Going on…">Go on with ${pluralize(count, 'domain')}</button>`
        }</form>`
  }`;
}

/** Saved lists, and the form that saves the present one. */
export function savedViews(
  views: readonly SavedView[],
  { formToken, query, canWrite, flash }: Visitor & Pick<Selecting, 'query'>,
): Markup {
  const form = formState('saveView', flash);
  const current = views.find((view) => view.query === query);
  if (views.length === 0 && (query === '' || !canWrite)) return html``;
  return html`<div class="window" role="group" aria-label="Saved views"><span class="soft">Views</span>${views.map(
    (view) =>
      html`<a href="${DOMAINS_PATH}${view.query === '' ? '' : `?${view.query}`}"${view === current ? html` aria-current="true"` : ''}>${view.name}</a>`,
  )}${
    !canWrite || (query === '' && current === undefined)
      ? ''
      : html`<form class="window" method="post" action="/console/views">${formTokenField(formToken)}<input type="hidden" name="query" value="${query}">${
          current === undefined
            ? html`<label>Save as <input ${form.attributes('name')} value="${form.value('name')}" maxlength="60" required autocomplete="off"></label>${form.problem('name')}<button class="small" data-busy="Saving…">Save view</button>`
            : html`<input type="hidden" name="name" value="${current.name}"><button class="small" name="do" value="remove" data-busy="Removing…">Remove this view</button>`
        }</form>`
  }</div>`;
}
