/** The window of a page with reports. It is part of the address, so that it can be shared. */
import type { Days } from '../../../api/report-sources.ts';
import { daysBefore, daysBetween } from '../../../reports/day.ts';
import { html, type Markup } from '../../markup.ts';

/** In days, the last one today. */
const offered = [7, 30, 90, 365];

/** The form of a window, and links to common ones that end today. */
export function windowForm(path: string, { from, to }: Days, today: string): Markup {
  return html`<form class="window" method="get" action="${path}">
<label>From <input type="date" name="startDate" value="${from}" max="${today}" required></label>
<label>to <input type="date" name="endDate" value="${to}" max="${today}" required></label>
<button class="small" data-busy="Loading…">Show</button>
<ul>${offered.map((days) => {
    const start = daysBefore(today, days - 1);
    const isCurrent = from === start && to === today;
    return html`<li><a href="${path}?${windowQuery({ from: start, to: today })}"${isCurrent ? html` aria-current="true"` : ''}>${days} days</a></li>`;
  })}</ul>
</form>`;
}

/** The query of a window. */
export function windowQuery({ from, to }: Days): string {
  return `${new URLSearchParams({ startDate: from, endDate: to })}`;
}

/** The days of a window, oldest first. */
export function daysOfWindow({ from, to }: Days): readonly string[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => daysBefore(from, -index));
}
