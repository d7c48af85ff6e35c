/** The page with the mails and webhook requests that were sent about an organization. */
import { inWords } from '../../protocol/in-words.ts';
import type { DeliveryList } from '../../views/delivery-list.ts';
import { eventTime, html, type Markup, visibleStart } from '../markup.ts';
import { pager } from '../pager.ts';
import { ALERTS_PATH, DELIVERIES_PATH } from './alert-filter.ts';
import { consoleDocument, formTokenField, readOnlyNote, type Visitor } from './layout.ts';

type DeliveriesView = DeliveryList & Visitor;

export function deliveriesPage(view: DeliveriesView): string {
  const { deliveries, page, hasMore, formToken, flash, canWrite } = view;
  return consoleDocument({
    title: 'Deliveries',
    description: 'What was sent about your domains',
    ...{ formToken, flash, current: ALERTS_PATH },
    main: html`<article class="of-domain wide"><header><h1>Deliveries</h1><p class="actions"><a class="button small" href="${ALERTS_PATH}">Alerts</a></p>${readOnlyNote(canWrite)}</header>
<section aria-labelledby="list"><h2 id="list" class="hush">Newest first</h2>${
      deliveries.length > 0
        ? table(view)
        : html`<p>${page === 1 ? 'Nothing was sent in the last 30 days.' : 'There are no earlier deliveries.'}</p>`
    }${pager({ page, hasMore, of: 'of deliveries', names: ['Newer', 'Older'], to: pathOf, isSmall: true })}</section></article>`,
  });
}

const pathOf = (page: number) => (page === 1 ? DELIVERIES_PATH : `${DELIVERIES_PATH}?page=${page}`);

/** A delivery of alerts also has events, or only events. */
function contentOf(alerts: number, events: number): string {
  if (events === 0) return 'alerts';
  return alerts === 0 ? 'events' : 'alerts, events';
}

const columns = ['Sent', 'By', 'To', 'What', 'Alerts', 'Events', 'State', ''] as const;

function table({ deliveries, canWrite, formToken }: DeliveriesView): Markup {
  return html`<div class="scroll domains plain-rows" tabindex="0" role="region" aria-label="Deliveries"><table><caption class="hush">Deliveries, newest first</caption><thead><tr>${columns.map((name) => html`<th scope="col">${name === '' ? html`<span class="hush">Again</span>` : name}</th>`)}</tr></thead><tbody>${deliveries.map(
    ({ id, createdAt, channel, kind, sentTo, status, reason, alerts, events }) => {
      const tone = status === 'delivered' ? 'pass' : status === 'pending' ? '' : 'fail';
      return html`<tr><th scope="row">${eventTime(createdAt)}</th><td>${channel}</td><td class="grow">${sentTo === null ? '' : visibleStart(sentTo, 200)}</td><td>${kind === 'alerts' ? contentOf(alerts, events) : kind}</td><td class="num" data-unit="alerts">${alerts}</td><td class="num" data-unit="events">${events}</td><td class="grow"><span class="tag ${tone}">${inWords(status)}</span>${reason === null ? '' : html` ${visibleStart(reason, 300)}`}</td><td>${
        tone === 'fail' && canWrite
          ? html`<form method="post" action="${DELIVERIES_PATH}">${formTokenField(formToken)}<input type="hidden" name="id" value="${id}"><button class="small" data-busy="Sending…">Send again</button></form>`
          : ''
      }</td></tr>`;
    },
  )}</tbody></table></div>`;
}
