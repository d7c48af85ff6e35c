/** The page with the changes of all domains: records and findings that differ, by day, and the effect on the score. */
import { checkTitles } from '../../checks/checks.ts';
import { checkNames } from '../../checks/state.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import { gradeOf } from '../../score/score.ts';
import type { OrganizationChange } from '../../store/check-runs/organization-changes.ts';
import type { ChangesQuery, ChangesView } from '../../views/organization-changes.ts';
import { day, stateMark } from '../check-results/text.ts';
import { html, type Markup, timeElement, untrustedText } from '../markup.ts';
import { fitting, inTurn } from '../room.ts';
import { type Choice, options } from '../select.ts';
import { changeDiff, changePath } from './domain/history.ts';
import { CONSOLE_ROOM, consoleDocument, type Visit } from './layout.ts';
import { signed } from './signed.ts';

export const CHANGES_PATH = '/console/changes';

const periods: readonly Choice[] = [
  ['1', '24 hours'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
];
const effects: readonly Choice[] = [
  ['fell', 'score fell'],
  ['rose', 'score rose'],
];

export function changesPage(view: ChangesView & Visit): string {
  const { formToken, flash, unread, days, query } = view;
  return consoleDocument({
    title: 'Changes',
    description: 'What changed about your domains',
    ...{ formToken, flash, unread, current: CHANGES_PATH, isByDay: true },
    main: html`<article class="of-domain wide"><header><h1>Changes</h1></header>
<section aria-labelledby="list"><h2 id="list" class="hush">Changes of ${pluralize(query.days, 'day')}</h2>${filterForm(query)}
${days.length === 0 ? html`<p>${isFiltered(query) ? 'No change matches' : `Nothing changed in ${query.days === 1 ? '24 hours' : `${query.days} days`}`}${view.next === undefined ? '.' : ' among the newest ones.'}</p>` : ''}</section>
${inTurn(
  CONSOLE_ROOM,
  days.map((one) => (left: number) => daySection(one, left)),
)}
${pager(view)}</article>`,
  });
}

const isFiltered = ({ q, check, score }: ChangesQuery): boolean =>
  [q, check, score].some((one) => one !== undefined);

function filterForm({ q = '', check, score, days }: ChangesQuery): Markup {
  const checks = checkNames.map((name): Choice => [name, checkTitles[name]]);
  return html`<form class="window" method="get" action="${CHANGES_PATH}" role="search">
<label>Name contains <input type="search" name="q" value="${q}" maxlength="1000"></label>
<label>Check <select name="check"><option value="">any</option>${options(checks, check)}</select></label>
<label>Effect <select name="score"><option value="">any</option>${options(effects, score)}</select></label>
<label>Period <select name="days">${options(periods, String(days))}</select></label>
<button class="small" data-busy="Loading…">Show</button></form>`;
}

function daySection({ day: of, entries }: ChangesView['days'][number], room: number): Markup {
  const { shown, omitted } = fitting(entries, room, (entry, left) => entryRow(entry, left / 2));
  return html`<section aria-labelledby="day-${of}" data-day><h2 id="day-${of}">${day(of)} <span class="soft"><span data-zone>UTC, </span>check runs with changes: <span data-count>${entries.length}</span></span></h2>
<ul class="tasks changes" data-entries>${shown}</ul>
${omitted > 0 ? html`<p class="note">and ${formatNumber(omitted)} more on this day: choose a check or a name to see them.</p>` : ''}</section>`;
}

/** A line that unfolds to the difference. */
function entryRow(entry: OrganizationChange, room: number): Markup {
  const { at, domainId, domain, changes } = entry;
  return html`<li><details class="behind"><summary>${changes.map(
    ({ check, previousState, newState }) =>
      html`<span>${checkTitles[check]} ${previousState === newState ? '' : html`${stateMark(previousState)} → `}${stateMark(newState)}</span> `,
  )}</summary>${inTurn(
    room,
    changes.map((change) => (left: number) => changeDiff(change, { domain }, left)),
  )}</details>
<span class="where"><a href="${changePath(domainId, at)}">${untrustedText(domain)}</a></span>
<span>${effect(entry)}</span><span class="soft">${timeElement(at)}</span></li>`;
}

/** What the change did to the score. */
function effect({ scoreBefore, scoreAfter }: OrganizationChange): Markup {
  if (scoreAfter === null) return html`<span class="soft">no score</span>`;
  const after = html`<strong>${gradeOf(scoreAfter).grade} ${scoreAfter}</strong>`;
  if (scoreBefore === null) return after;
  const change = scoreAfter - scoreBefore;
  return change === 0
    ? html`<span class="soft">same score</span>`
    : html`${scoreBefore} → ${after} ${signed(change)}`;
}

function pager({ query, next }: ChangesView): Markup {
  if (query.before === undefined && next === undefined) return html``;
  const to = (before: string | undefined) => {
    const given = Object.entries({ ...query, before }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    return `${CHANGES_PATH}?${new URLSearchParams(Object.fromEntries(given))}`;
  };
  return html`<nav class="actions" aria-label="Pages">${query.before === undefined ? '' : html`<a class="button small" href="${to(undefined)}">Newest</a>`}${next === undefined ? '' : html`<a class="button small" rel="next" href="${to(next)}">Earlier</a>`}</nav>`;
}
