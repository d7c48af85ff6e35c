/** The DMARC reports of a domain: messages per day by result, and the senders with what is behind their figures. */
import type { Days } from '../../../api/report-sources.ts';
import type { Sender } from '../../../enforcement/shapes.ts';
import { formatNumber, pluralize } from '../../../protocol/quantity.ts';
import { dayInWords } from '../../../protocol/time.ts';
import type { DmarcDay } from '../../../store/reports/dmarc-reports.ts';
import { type DmarcView, sendersOnPage } from '../../../views/domain/dmarc.ts';
import { type Bar, stackedBars } from '../../charts/bars.ts';
import { percent } from '../../charts/shares.ts';
import { daysFromTo } from '../../check-results/text.ts';
import { html, type Markup } from '../../markup.ts';
import { inTurn } from '../../room.ts';
import { domainFrame, domainPath, nothingYet, type ShownDomain } from './frame.ts';
import { senderList } from './senders.ts';
import { daysOfWindow, windowForm } from './window.ts';

/** Longer windows have a bar per week, because more bars would be too narrow. */
const MAX_BARS = 93;
const DAYS_PER_WEEK = 7;

export function dmarcPage(domain: ShownDomain, view: DmarcView, room: number): Markup {
  const { days, senderDays, today, timeline, senders } = view;
  const form = windowForm(domainPath(domain.id, 'dmarc'), days, today);
  if (timeline.length === 0) {
    const none = nothingYet(
      'No DMARC reports in this window',
      html`Receivers send reports once a day, a day or two after the mail. Choose a longer window, or see on the <a href="${domainPath(domain.id)}">overview</a> whether the DMARC record asks for reports.`,
    );
    return domainFrame(domain, 'dmarc', html`${form}${none}`);
  }
  const all = totals(timeline);
  const reports = timeline.reduce((sum, one) => sum + one.reports, 0);
  return domainFrame(
    domain,
    'dmarc',
    inTurn(room, [
      () => html`${form}
<section aria-labelledby="figures"><h2 id="figures" class="hush">Figures</h2><dl class="facts">
<div><dt>Messages</dt><dd>${formatNumber(all.messages)}<small>in ${pluralize(reports, 'report')}</small></dd></div>
<div><dt>Passed DMARC</dt><dd>${percent(all.passed, all.messages)}<small>${formatNumber(all.messages - all.passed)} failed</small></dd></div>
<div><dt>Senders</dt><dd>${formatNumber(senders.length)}<small>${undecided(senders)}</small></dd></div>
</dl>${reportedBy(view.reported)}</section>
${messageChart(days, timeline)}
${
  senderDays.from === days.from
    ? ''
    : html`<p class="soft">Senders are shown for the last part of this period, ${daysFromTo(senderDays.from, senderDays.to)}. The API has those of all of it.</p>
`
}`,
      (left) =>
        senderList(
          domain,
          {
            ...{ days, senders: sendersOnPage(senders, view.page), total: senders.length },
            ...{ page: view.page, rows: view },
            decided: senders.filter(({ id }) => view.changed?.some(({ senderId }) => senderId === id)),
          },
          left,
        ),
    ]),
  );
}

function undecided(senders: readonly Sender[]): string {
  const open = senders.filter(({ status }) => status === null).length;
  return open === 0 ? 'all decided' : `${formatNumber(open)} without your decision`;
}

/** Forged reports decide nothing, so a reader needs to know how many of them there are. */
function reportedBy({ receivers, reports, unauthenticated }: DmarcView['reported']): Markup {
  if (reports === 0) return html``;
  return html`<p class="soft">Reports of ${pluralize(receivers, 'receiver')}${unauthenticated === 0 ? ', all authenticated' : html`; ${formatNumber(unauthenticated)} of ${pluralize(reports, 'report')} not authenticated (not counted for readiness)`}.</p>`;
}

/** The messages of a day. */
type Messages = Omit<DmarcDay, 'reports'>;

export function totals(timeline: readonly Messages[]) {
  const sum = (of: (day: Messages) => number) => timeline.reduce((total, day) => total + of(day), 0);
  return { messages: sum(({ messages }) => messages), passed: sum(({ passed }) => passed) };
}

/** A section with the messages by result: per day, or per week of a long window. */
export function messageChart(days: Days, timeline: readonly Messages[]): Markup {
  const all = totals(timeline);
  return html`<section aria-labelledby="per-day"><h2 id="per-day">Messages ${barUnit(days) === 'Day' ? 'per day' : 'per week'}</h2>
${stackedBars({
  id: 'messages',
  title: `Messages from ${dayInWords(days.from)} to ${dayInWords(days.to)}`,
  summary: `${formatNumber(all.messages)} messages on ${pluralize(timeline.length, 'day')} with reports; ${percent(all.passed, all.messages)} passed DMARC.`,
  unit: barUnit(days),
  series: [
    { name: 'Aligned by DKIM and SPF', fill: 'good' },
    { name: 'DKIM only', fill: 'stripes' },
    { name: 'SPF only', fill: 'dots' },
    { name: 'Failing', fill: 'bad' },
  ],
  bars: barsOf(days, timeline),
})}</section>`;
}

const barUnit = (days: Days): string => (daysOfWindow(days).length > MAX_BARS ? 'Week from' : 'Day');

/** A bar for each day or week, also for those without reports. */
function barsOf(days: Days, timeline: readonly Messages[]): readonly Bar[] {
  const known = new Map(timeline.map((day) => [day.day, resultsOf(day)]));
  const all = daysOfWindow(days);
  const perBar = all.length > MAX_BARS ? DAYS_PER_WEEK : 1;
  return Array.from({ length: Math.ceil(all.length / perBar) }, (_, index) => {
    const group = all.slice(index * perBar, (index + 1) * perBar);
    const results = group.map((day) => known.get(day) ?? [0, 0, 0, 0]);
    const values = [0, 1, 2, 3].map((at) => results.reduce((sum, one) => sum + (one[at] ?? 0), 0));
    return { label: dayInWords(group[0] ?? days.from), values };
  });
}

/** Messages aligned by both, by DKIM only, by SPF only, and by none: `passed` counts those aligned by either once. */
function resultsOf({ messages, passed, dkimAligned, spfAligned }: Messages): readonly number[] {
  return [
    dkimAligned + spfAligned - passed,
    passed - spfAligned,
    passed - dkimAligned,
    messages - passed,
  ].map((count) => Math.max(0, count));
}
