/** What needs a person now about a domain: a block on its overview. */
import { MOST_DAYS_PUT_OFF } from '../../api/attention-requests.ts';
import { textOf } from '../../attention/kinds.ts';
import { dayAt } from '../../protocol/time.ts';
import { daysBefore } from '../../reports/day.ts';
import { type AttentionItem, attentionIdOf, isPutOff } from '../../store/attention-items.ts';
import type { Flash } from '../../store/flashes.ts';
import type { AttentionView } from '../../views/attention.ts';
import { day } from '../check-results/text.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { formState } from './form-fields.ts';
import { formTokenField, type Visit, type Visitor } from './layout.ts';
import { severityTag } from './severity.ts';

/** In days from today: what the form proposes. */
const PROPOSED_DAYS = 7;

/** Empty if nothing needs a person. */
export function attentionBlock({ items, hasMore, now }: AttentionView, visitor: Visitor): Markup {
  if (items.length === 0) return html``;
  return html`<section aria-labelledby="attention"><h2 id="attention">Needs attention</h2>
<ul class="cards">${items.map((item) => attentionCard(item, visitor, now))}</ul>
${hasMore ? html`<p class="soft">These are the first ${items.length}. The <a href="/docs#listAttention">API</a> lists all of them.</p>` : ''}</section>`;
}

function attentionCard(item: AttentionItem, visitor: Visitor, now: Date): Markup {
  const { title, detail, action } = textOf(item);
  const form = isPutOff(item, now) ? showAgainForm : putOffForm;
  return html`<li class="card"><div class="head"><h3>${untrustedText(title)}</h3>${severityTag(item.severity)}</div>
<p>${untrustedText(detail)}</p>
${item.note === null ? '' : html`<p class="soft">Note: ${visibleStart(item.note, 500)}</p>`}
${isPutOff(item, now) ? html`<p class="soft">Put off until ${day(item.putOffUntil)}.</p>` : ''}
<p><a href="${action.path}">${action.label}</a></p>
${visitor.canWrite ? form(item, visitor, now) : ''}</li>`;
}

const pathOf = (item: AttentionItem): string => `/console/attention/${attentionIdOf(item)}`;

/** Whether the form that puts the item off was sent, and nothing was done. */
export const isRefused = (item: AttentionItem, flash: Flash | undefined): boolean =>
  formState('putOffInConsole', flash, {}, pathOf(item)).isSent;

/** @param from The page to return to, if it is not the one about the domain. */
export function putOffForm(
  item: AttentionItem,
  { formToken, flash }: Visit,
  now: Date,
  from?: 'today',
): Markup {
  const inDays = (days: number) => daysBefore(dayAt(now), -days);
  const proposed = { until: inDays(PROPOSED_DAYS), note: item.note ?? '' };
  const form = formState('putOffInConsole', flash, proposed, pathOf(item));
  return html`<details class="fold"${form.isSent ? html` open` : ''}><summary>Put off</summary><form method="post" action="${pathOf(item)}" class="window">${formTokenField(formToken)}${from === undefined ? '' : html`<input type="hidden" name="from" value="${from}">`}
<label>Until <input type="date" ${form.attributes('until')} value="${form.value('until')}" min="${inDays(1)}" max="${inDays(MOST_DAYS_PUT_OFF)}" required></label>
<label>Note <input ${form.attributes('note')} value="${form.value('note')}" maxlength="500" autocomplete="off"></label>
${form.problem('until')}${form.problem('note')}<button class="small" data-busy="Saving…">Put off</button></form></details>`;
}

function showAgainForm(item: AttentionItem, { formToken }: Visit): Markup {
  return html`<form method="post" action="${pathOf(item)}" class="actions">${formTokenField(formToken)}<button class="small" data-busy="Saving…">Show again</button></form>`;
}
