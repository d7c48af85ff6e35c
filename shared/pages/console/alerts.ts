/** The page with the alerts of an organization, and what was sent about them. */
import type { z } from 'zod/mini';
import { type Alert, alertSeverity, typeOf } from '../../alerts/alert.ts';
import type { AlertGroup } from '../../alerts/cause.ts';
import type { delivery } from '../../api/deliveries.ts';
import { pluralize } from '../../protocol/quantity.ts';
import type { Flash } from '../../store/flashes.ts';
import type { AlertFilterView, AlertList } from '../../views/alert-list.ts';
import { eventTime, html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { inTurn } from '../room.ts';
import { ALERTS_PATH, alertsPath } from './alert-filter.ts';
import { domainPath } from './domain/frame.ts';
import { changeDiff } from './domain/history.ts';
import { consoleDocument, formTokenField, readOnlyNote } from './layout.ts';
import { severityNames, severityTag } from './severity.ts';

interface AlertsView extends AlertList {
  readonly canWrite: boolean;
  readonly formToken: string;
  readonly flash?: Flash | undefined;
}

/** In bytes, for alerts; the deliveries take the rest of the page. */
const ALERT_ROOM = 50_000;

export function alertsPage(view: AlertsView): string {
  const { filter, groups, page, hasMore, formToken, flash } = view;
  return consoleDocument({
    title: 'Alerts',
    description: 'What changed about your domains, and what was sent about it',
    ...{ formToken, flash, current: ALERTS_PATH },
    main: html`<article class="of-domain"><header><h1>Alerts</h1>${filterLinks(filter)}${readOnlyNote(view.canWrite)}</header>
${
  groups.length === 0
    ? noAlerts(filter)
    : html`<section aria-labelledby="list"><h2 id="list">Newest first</h2>${markReadForm(view)}<ul class="cards">${inTurn(
        ALERT_ROOM,
        groups.map((group) => (room: number) => alertCard(group, filter, room)),
      )}</ul></section>`
}
${pager(filter, page, hasMore)}
${deliveryList(view)}</article>`,
  });
}

const REDELIVER_PATH = '/console/deliveries';

function filterLinks(filter: AlertFilterView): Markup {
  const link = (to: AlertFilterView, name: string, isCurrent: boolean) =>
    html`<li><a href="${alertsPath(to)}"${isCurrent ? html` aria-current="true"` : ''}>${name}</a></li>`;
  const { severity, domain, unread, each = false } = filter;
  return html`<nav class="views" aria-label="Severity"><ul>${link({ ...filter, severity: undefined }, 'All severities', severity === undefined)}${alertSeverity.options
    .toReversed()
    .map((one) => link({ ...filter, severity: one }, severityNames[one], severity === one))}</ul></nav>
<nav class="views" aria-label="Read or unread"><ul>${link({ ...filter, unread: false }, 'Read and unread', !unread)}${link({ ...filter, unread: true }, 'Only unread', unread)}</ul></nav>
<nav class="views" aria-label="Causes"><ul>${link({ ...filter, each: false }, 'One for each cause', !each)}${link({ ...filter, each: true }, 'Each alert', each)}</ul></nav>
${domain === undefined ? '' : html`<p>Only alerts of one domain. <a href="${alertsPath({ ...filter, domain: undefined })}">Show all domains</a></p>`}`;
}

function noAlerts({ severity, domain, unread }: AlertFilterView): Markup {
  const isFiltered = severity !== undefined || domain !== undefined || unread;
  return html`<section class="empty"><h2>No alerts</h2><p>${isFiltered ? html`No alert matches. <a href="${ALERTS_PATH}">Show all alerts</a>` : 'Alerts appear here when the records, the score or the mail of a verified domain change.'}</p></section>`;
}

/** Alerts that were raised after the page was loaded stay unread. */
function markReadForm({ filter, groups, canWrite, formToken }: AlertsView): Markup {
  const newest = groups.find(({ unread }) => unread > 0)?.newest;
  if (!canWrite || newest === undefined) return html``;
  const { severity, domain } = filter;
  return html`<form method="post" action="${ALERTS_PATH}" class="actions">${formTokenField(formToken)}<input type="hidden" name="newest" value="${newest.id}">${severity === undefined ? '' : html`<input type="hidden" name="severity" value="${severity}">`}${domain === undefined ? '' : html`<input type="hidden" name="domain" value="${domain}">`}<button class="small" data-busy="Marking…">Mark all as read</button></form>`;
}

function alertCard(
  { newest: alert, count, unread, since }: AlertGroup,
  filter: AlertFilterView,
  room: number,
): Markup {
  const { id, domainId, domainName, severity, title, message, createdAt, metadata } = alert;
  const link = linkTo(alert);
  const change = typeOf(alert).change?.(metadata);
  const others =
    count === 1 ? '' : html` The newest of ${count} alerts about this cause since ${eventTime(since)}.`;
  return html`<li class="card" id="alert-${id}"><div class="head"><h3>${visibleStart(title, 200)}</h3>${severityTag(severity)}</div>
<p>${visibleStart(message, 1000)}</p>
${change === undefined ? '' : changeDiff(change, { domain: domainName }, room)}
<p class="soft">${eventTime(createdAt)}, ${unread === 0 ? 'read' : html`<strong>${count === 1 ? '' : `${unread} `}unread</strong>`}.${others} <a href="${link.href}">${link.name} ${untrustedText(domainName)}</a>${filter.domain === undefined ? html` · <a href="${alertsPath({ ...filter, domain: domainId })}">Only this domain</a>` : ''}</p></li>`;
}

/** The link to the reports, or to what to fix. */
function linkTo(alert: Alert): { readonly href: string; readonly name: string } {
  const page = typeOf(alert).page?.(alert.metadata);
  return page === undefined
    ? { href: `${domainPath(alert.domainId)}#fix`, name: 'Fix' }
    : { href: domainPath(alert.domainId, page), name: 'Reports about' };
}

function pager(filter: AlertFilterView, page: number, hasMore: boolean): Markup {
  if (page === 1 && !hasMore) return html``;
  return html`<nav class="actions" aria-label="Pages of alerts">${page > 1 ? html`<a class="button" rel="prev" href="${alertsPath(filter, page - 1)}">Newer</a>` : ''}${hasMore ? html`<a class="button" rel="next" href="${alertsPath(filter, page + 1)}">Older</a>` : ''}</nav>`;
}

function deliveryList({ deliveries, canWrite, formToken }: AlertsView): Markup {
  const again = (id: string): Markup =>
    canWrite
      ? html`<form method="post" action="${REDELIVER_PATH}">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><button class="small" data-busy="Sending…">Send again</button></form>`
      : html``;
  return html`<section aria-labelledby="deliveries"><h2 id="deliveries">Latest deliveries</h2>
${deliveries.length === 0 ? html`<p>Nothing was sent in the last 30 days.</p>` : html`<ul class="cards">${deliveries.map((one) => deliveryCard(one, again))}</ul>`}</section>`;
}

/** @param again The form that sends a delivery again. */
function deliveryCard(shown: z.output<typeof delivery>, again: (id: string) => Markup): Markup {
  const { id, createdAt, channel, kind, sentTo, status, reason, alerts, events } = shown;
  const tone = status === 'delivered' ? 'pass' : status === 'pending' ? '' : 'fail';
  return html`<li class="card"><div class="head"><h3>${channel}${sentTo === null ? '' : html` to ${visibleStart(sentTo, 200)}`}</h3><span class="tag ${tone}">${status}</span></div>
<p class="soft">${eventTime(createdAt)}, ${kind}: ${pluralize(alerts, 'alert')}, ${pluralize(events, 'event')}</p>
${reason === null ? '' : html`<p>${visibleStart(reason, 300)}</p>`}${tone === 'fail' ? again(id) : ''}</li>`;
}
