/** The page with the alerts of an organization: a line for each cause and day, those that need a reader first. */
import { alertSeverity, typeOf } from '../../alerts/alert.ts';
import type { AlertGroup } from '../../alerts/cause.ts';
import { pageOfAlert } from '../../alerts/page.ts';
import { type AlertFilterView, type AlertList, needsReader } from '../../views/alert-list.ts';
import { eventTime, html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { pager } from '../pager.ts';
import { inTurn } from '../room.ts';
import { ALERTS_PATH, alertsPath, DELIVERIES_PATH } from './alert-filter.ts';
import { domainPath } from './domain/frame.ts';
import { changeDiff } from './domain/history.ts';
import { consoleDocument, formTokenField, readOnlyNote, type Visitor } from './layout.ts';
import { severityNames, severityTag } from './severity.ts';

type AlertsView = AlertList & Visitor;

/** In bytes, for the differences that lines unfold to. */
const ALERT_ROOM = 50_000;

export function alertsPage(view: AlertsView): string {
  const { filter, groups, page, hasMore, formToken, flash } = view;
  return consoleDocument({
    title: 'Alerts',
    description: 'What changed about your domains',
    ...{ formToken, flash, current: ALERTS_PATH },
    main: html`<article class="of-domain wide"><header><h1>Alerts</h1><p class="actions"><a class="button small" href="${DELIVERIES_PATH}">Deliveries</a></p>${readOnlyNote(view.canWrite)}</header>
<section aria-labelledby="filter"><h2 id="filter" class="hush">Filter</h2>${filterLinks(filter)}${markReadForm(view)}</section>
${
  groups.length === 0
    ? noAlerts(filter)
    : inTurn(
        ALERT_ROOM,
        sectionsOf(view).map(
          ({ name, id, of }) =>
            (left: number) =>
              html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2><ul class="tasks alerts">${inTurn(
                left,
                of.map((group) => (room: number) => alertLine(group, filter, room)),
              )}</ul></section>`,
        ),
      )
}
${pager({ page, hasMore, of: 'of alerts', names: ['Previous', 'Next'], to: (n) => alertsPath(filter, n), isSmall: true })}</article>`,
  });
}

/** Each alert by itself is in the order of time. */
function sectionsOf({ groups, filter }: AlertsView) {
  if (filter.each === true) return [{ name: 'Newest first', id: 'others', of: groups }];
  const first = groups.filter(needsReader);
  const name = first.length === 0 ? 'Newest first' : 'Read, or only for information';
  const sections = [
    { name: 'Unread warnings, and worse', id: 'first', of: first },
    { name, id: 'others', of: groups.filter((group) => !needsReader(group)) },
  ];
  return sections.filter(({ of }) => of.length > 0);
}

function filterLinks(filter: AlertFilterView): Markup {
  const link = (to: AlertFilterView, name: string, isCurrent: boolean) =>
    html`<li><a href="${alertsPath(to)}"${isCurrent ? html` aria-current="true"` : ''}>${name}</a></li>`;
  const { severity, domain, unread, each = false } = filter;
  return html`<div class="window filters"><ul aria-label="Severity">${link({ ...filter, severity: undefined }, 'All severities', severity === undefined)}${alertSeverity.options
    .toReversed()
    .map((one) => link({ ...filter, severity: one }, severityNames[one], severity === one))}</ul>
<ul aria-label="Read or unread">${link({ ...filter, unread: false }, 'Read and unread', !unread)}${link({ ...filter, unread: true }, 'Only unread', unread)}</ul>
<ul aria-label="Causes">${link({ ...filter, each: false }, 'One for each cause and day', !each)}${link({ ...filter, each: true }, 'Each alert', each)}</ul></div>
${domain === undefined ? '' : html`<p>Only alerts of one domain. <a href="${alertsPath({ ...filter, domain: undefined })}">Show all domains</a></p>`}`;
}

function noAlerts({ severity, domain, unread }: AlertFilterView): Markup {
  const isFiltered = severity !== undefined || domain !== undefined || unread;
  return html`<section class="empty"><h2>No alerts</h2><p>${isFiltered ? html`No alert matches. <a href="${ALERTS_PATH}">Show all alerts</a>` : 'Alerts appear here when the records, the score or the mail of a verified domain change.'}</p></section>`;
}

/** Alerts that were raised after the page was loaded stay unread. */
function markReadForm({ filter, newestUnread, canWrite, formToken }: AlertsView): Markup {
  if (!canWrite || newestUnread === undefined) return html``;
  const { severity, domain } = filter;
  return html`<form method="post" action="${ALERTS_PATH}" class="actions">${formTokenField(formToken)}<input type="hidden" name="newest" value="${newestUnread.id}">${severity === undefined ? '' : html`<input type="hidden" name="severity" value="${severity}">`}${domain === undefined ? '' : html`<input type="hidden" name="domain" value="${domain}">`}<button class="small" data-busy="Marking…">Mark all as read</button></form>`;
}

/** A line that unfolds to what changed. */
function alertLine({ newest, count, unread }: AlertGroup, filter: AlertFilterView, room: number): Markup {
  const { id, domainId, domainName, severity, title, message, createdAt, metadata } = newest;
  const { path, name } = pageOfAlert(newest);
  const change = typeOf(newest).change?.(metadata);
  return html`<li id="alert-${id}"><details class="behind"><summary>${severityTag(severity)} ${unread > 0 ? html`<strong>${visibleStart(title, 200)}</strong>` : visibleStart(title, 200)}</summary>
<p>${visibleStart(message, 1000)}</p>
${change === undefined ? '' : changeDiff(change, { domain: domainName }, room)}</details>
<span class="where"><a href="${domainPath(domainId)}">${untrustedText(domainName)}</a>${filter.domain === undefined ? html` · <a href="${alertsPath({ ...filter, domain: domainId })}" aria-label="Only alerts of ${domainName}">only</a>` : ''}</span>
<span>${countOf(count, unread)}<span class="soft">${eventTime(createdAt)}</span></span><a class="button small" href="${path}">${name}<span class="hush"> ${domainName}</span></a></li>`;
}

/** `3 alerts, 2 unread`; of one, whether it is unread. */
function countOf(count: number, unread: number): Markup {
  if (count === 1) return unread === 0 ? html`` : html`<strong>unread</strong> `;
  return html`<strong>${count} alerts${unread === 0 ? '' : `, ${unread === count ? 'all' : unread} unread`}</strong> `;
}
