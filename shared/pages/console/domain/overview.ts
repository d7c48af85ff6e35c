/** One domain at a glance: its grade with history, what to fix next, and the checks with their evidence. */

import { checkTitles } from '../../../checks/checks.ts';
import type { Change } from '../../../fixes/plan.ts';
import { formatNumber, pluralize } from '../../../protocol/quantity.ts';
import { dayInWords } from '../../../protocol/time.ts';
import { daysBefore } from '../../../reports/day.ts';
import type { OverviewView } from '../../../views/domain/overview.ts';
import { line, type Point } from '../../charts/line.ts';
import { percent } from '../../charts/shares.ts';
import { fixNext } from '../../check-results/changes.ts';
import { gradeSection } from '../../check-results/grade.ts';
import { checkSections } from '../../check-results/sections.ts';
import { day } from '../../check-results/text.ts';
import { html, type Markup } from '../../markup.ts';
import { inTurn } from '../../room.ts';
import { attentionBlock } from '../attention.ts';
import { formTokenField } from '../layout.ts';
import { policyNames } from '../organization-figures.ts';
import { messageChart, totals } from './dmarc.ts';
import { domainFrame, domainPath, nothingYet, type ShownDomain } from './frame.ts';
import { changePath } from './history.ts';
import { evidenceLink } from './standing.ts';
import { firstSteps } from './steps.ts';

/** Of a picture of the score: fewer say no more than the page says anyway. */
const FEWEST_VALUES = 3;

/** The changes that are marked in the history of the score. */
const MAX_MARKS = 8;

export function overviewPage(domain: ShownDomain, view: OverviewView, room: number): Markup {
  const { checked, plan, owner, first } = view;
  const start = html`${attentionBlock(view.attention, domain)}${firstSteps(domain, first)}`;
  if (checked === undefined) {
    const none = nothingYet(
      'This domain has not been checked yet',
      domain.canWrite
        ? 'Check it now; this takes a few seconds.'
        : 'Ask somebody who may change it to run the checks.',
    );
    return domainFrame(domain, '', html`${start}${none}${checkNowForm(domain)}`);
  }
  return domainFrame(
    domain,
    '',
    html`${gradeSection(checked, html`${mailLine(domain, view)}<p>${evidenceLink(domain.id)}</p>${checkNowForm(domain)}`)}${inTurn(
      room,
      [
        (left) =>
          html`<div class="desk"><div>${start}${fixNext(plan, left, (change) => previewForm(domain, change))}</div><div class="beside">${scoreHistory(domain, view)}${lastWeek(view)}</div></div>`,
        (left) => checkSections(checked.results, checked.score, owner, left),
      ],
    )}`,
  );
}

/** The policy, and how much of the mail passes. */
function mailLine({ id }: ShownDomain, { checked, days }: OverviewView): Markup {
  const policy = policyNames[checked?.policy ?? 'unknown'];
  const { messages, passed } = totals(days);
  const mail =
    messages === 0
      ? 'No reports of the last 30 days.'
      : html`${percent(passed, messages)} of <a href="${domainPath(id, 'dmarc')}">${formatNumber(messages)} messages</a> of the last 30 days passed DMARC.`;
  return html`<p><a href="${domainPath(id, 'enforcement')}">DMARC policy</a>: <strong>${policy}</strong>. ${mail}</p>`;
}

/** In days. */
const WEEK = 7;

function lastWeek({ days, now }: OverviewView): Markup {
  const to = now.slice(0, 10);
  const week = { from: daysBefore(to, WEEK - 1), to };
  const timeline = days.filter(({ day }) => day >= week.from);
  return timeline.length === 0 ? html`` : messageChart(week, timeline);
}

function checkNowForm({ id, canWrite, formToken }: ShownDomain): Markup {
  if (!canWrite) return html``;
  return html`<form method="post" action="${domainPath(id)}/checks" class="actions">${formTokenField(formToken)}<button data-busy="Checking…" aria-describedby="check-takes">Check now</button><span class="soft" id="check-takes">Takes a few seconds, or up to 25 if servers do not answer. This page stays until the checks are done.</span></form>`;
}

function previewForm({ id }: ShownDomain, change: Change): Markup {
  return html`<form method="get" action="${domainPath(id)}/preview"><input type="hidden" name="change" value="${change.id}"><button class="small" data-busy="Previewing…">Preview</button></form>`;
}

function scoreHistory({ id }: ShownDomain, { scores, changes, now }: OverviewView): Markup {
  const oldest = scores.at(-1);
  if (oldest === undefined) return html``;
  const span = Math.max(1, Date.parse(now) - Date.parse(oldest.at));
  const place = (at: string) => Math.min(1, Math.max(0, (Date.parse(at) - Date.parse(oldest.at)) / span));
  // The oldest entry of the history has the initial results, which are no change.
  const marked = changes
    .filter(({ at }) => at > oldest.at)
    .slice(0, MAX_MARKS)
    .toReversed();
  const points: Point[] = scores
    .toReversed()
    .map(({ at, score }) => ({ label: dayInWords(at), at: place(at), value: score }));
  const marks: Point[] = marked.map(({ at }, index) => ({
    ...{ label: dayInWords(at), at: place(at), mark: String(index + 1) },
    value: scores.find((entry) => entry.at <= at)?.score ?? null,
  }));
  const last = scores[0]?.score ?? null;
  return html`<section aria-labelledby="score-history"><h2 id="score-history">Score since ${day(oldest.at)}</h2>
${
  scores.length < FEWEST_VALUES
    ? ''
    : line({
        id: 'scores',
        title: 'Score over time',
        summary: `${pluralize(scores.length, 'value')}, the last one ${last ?? 'unknown'}. Numbers mark changes of records and findings.`,
        unit: 'From',
        measure: 'Score',
        maximum: 100,
        steps: true,
        range: [dayInWords(oldest.at), 'today'],
        points: [...points, ...marks].toSorted((a, b) => a.at - b.at),
      })
}
${marked.length === 0 ? html`<p class="soft">Nothing changed since then.</p>` : html`<ol class="marks-list">${marked.map(({ at, changes: of }) => html`<li><a href="${changePath(id, at)}">${day(at)}</a> ${of.map(({ check }) => checkTitles[check]).join(', ')} changed</li>`)}</ol>`}
<p><a href="${domainPath(id, 'history')}">All changes</a></p></section>`;
}
