/** A domain in plain words on two printed pages, for a person who decides and does not read records. */
import { checkTitles } from '../../../checks/checks.ts';
import { isCheckName } from '../../../checks/state.ts';
import { formatNumber, pluralize } from '../../../protocol/quantity.ts';
import { DAY_MILLISECONDS, dayInWords } from '../../../protocol/time.ts';
import type { ComponentScore } from '../../../score/shapes.ts';
import type { ReportView } from '../../../views/domain/report.ts';
import { stackedBars } from '../../charts/bars.ts';
import { line } from '../../charts/line.ts';
import { percent } from '../../charts/shares.ts';
import { day, stateMark } from '../../check-results/text.ts';
import { html, type Markup, untrustedText } from '../../markup.ts';
import { domainFrame, type ShownDomain } from './frame.ts';
import { daysOfWindow } from './window.ts';

/** What comes next: more would not fit the pages. */
const MOST_STEPS = 5;

export function reportPage(domain: ShownDomain, view: ReportView): Markup {
  const { checked, now } = view;
  return domainFrame(
    domain,
    'report',
    html`<div class="printed"><p class="actions">Print this page, or save it as a PDF: it fits two pages.</p>
<section aria-labelledby="report"><h2 id="report">Email security of ${untrustedText(domain.domain)}, ${day(now)}</h2>
<ul class="plain">${sentences(domain.domain, view).map((sentence) => html`<li>${sentence}</li>`)}</ul></section>
${scoreChart(view)}
${mailChart(view)}
${checked === undefined ? '' : html`${nextSteps(checked.score.components)}${checkTable(checked.score.components)}`}</div>`,
  );
}

/** What the figures mean, the most important first. */
function sentences(
  domain: string,
  { checked, timeline, scores, now, verified }: ReportView,
): readonly Markup[] {
  if (checked === undefined) return [html`The domain has not been checked yet.`];
  const { score, results, checkedAt } = checked;
  const messages = timeline.reduce((sum, one) => sum + one.messages, 0);
  const passed = timeline.reduce((sum, one) => sum + one.passed, 0);
  return [
    score.grade === null
      ? html`There is <strong>no grade</strong>: ${score.message ?? 'nothing could be checked'}`
      : html`The grade is <strong>${score.grade} (${score.label.toLowerCase()})</strong>: ${score.score} of 100 points${monthBefore(scores, score.score, now)}.`,
    policySentence(domain, results.dmarc),
    messages === 0
      ? html`Receivers reported no mail in the last 30 days, so it is not known who sends in the name of the domain.`
      : html`Receivers reported ${pluralize(messages, 'message')} in the last 30 days. <strong>${percent(passed, messages)}</strong> proved that ${messages === 1 ? 'it comes' : 'they come'} from ${untrustedText(domain)}${messages === passed ? '' : `; ${formatNumber(messages - passed)} did not, and can be forged or sent by a service that is not set up`}.`,
    ...(verified
      ? []
      : [html`It is not verified that the domain is ours, so nobody is warned when something changes.`]),
    html`The domain was checked on ${day(checkedAt)}.`,
  ];
}

function policySentence(
  domain: string,
  { state, effectivePolicy, testing }: NonNullable<ReportView['checked']>['results']['dmarc'],
): Markup {
  if (state === 'unknown')
    return html`It is not known what receivers do with forged mail, because the lookup failed.`;
  const name = untrustedText(domain);
  const test = testing ? ' The policy is in test mode, so receivers do less.' : '';
  switch (effectivePolicy) {
    case 'reject':
      return html`<strong>Protected:</strong> receivers are asked to reject mail that only pretends to come from ${name}.${test}`;
    case 'quarantine':
      return html`<strong>Partly protected:</strong> receivers are asked to put mail that only pretends to come from ${name} into the spam folder.${test}`;
    case 'none':
      return html`<strong>Not protected yet:</strong> forged mail in the name of ${name} is delivered as usual. Reports of receivers say what a stronger policy would do.`;
    case null:
      return html`<strong>Not protected:</strong> there is no valid policy, so forged mail in the name of ${name} is delivered as usual, and receivers are not asked for reports.`;
  }
}

/** Compared with the score 30 days ago. */
function monthBefore(scores: ReportView['scores'], score: number | null, now: string): string {
  const limit = new Date(Date.parse(now) - 30 * DAY_MILLISECONDS).toISOString();
  const before = scores.find(({ at }) => at <= limit)?.score ?? null;
  if (before === null || score === null) return '';
  return before === score
    ? ', as 30 days ago'
    : `, ${Math.abs(score - before)} ${score > before ? 'more' : 'fewer'} than 30 days ago`;
}

function scoreChart({ scores, now }: ReportView): Markup {
  const oldest = scores.at(-1);
  if (oldest === undefined || scores.length < 2) return html``;
  const span = Math.max(1, Date.parse(now) - Date.parse(oldest.at));
  return html`<section aria-labelledby="score-over-time"><h2 id="score-over-time">Score</h2>${line({
    ...{ id: 'scores', title: 'Score over time', unit: 'From', measure: 'Score', maximum: 100, steps: true },
    summary: `Since ${dayInWords(oldest.at)}.`,
    range: [dayInWords(oldest.at), dayInWords(now)],
    points: scores.toReversed().map(({ at, score }) => ({
      ...{ label: dayInWords(at), value: score },
      at: Math.min(1, Math.max(0, (Date.parse(at) - Date.parse(oldest.at)) / span)),
    })),
  })}</section>`;
}

function mailChart({ days, timeline }: ReportView): Markup {
  if (timeline.length === 0) return html``;
  const known = new Map(timeline.map((one) => [one.day, one]));
  return html`<section aria-labelledby="mail"><h2 id="mail">Mail of 30 days</h2>${stackedBars({
    ...{ id: 'mail-bars', title: 'Messages per day', unit: 'Day' },
    summary: 'As receivers reported them.',
    series: [
      { name: 'Proved where it comes from', fill: 'good' },
      { name: 'Did not', fill: 'bad' },
    ],
    bars: daysOfWindow(days).map((date) => {
      const { messages = 0, passed = 0 } = known.get(date) ?? {};
      return { label: dayInWords(date), values: [passed, messages - passed] };
    }),
  })}</section>`;
}

const titleOf = (component: string): string => (isCheckName(component) ? checkTitles[component] : 'DANE');

function nextSteps(components: readonly ComponentScore[]): Markup {
  const steps = components.flatMap(({ component, todo, gain }) =>
    todo === null || gain === 0 ? [] : [{ component, todo, gain }],
  );
  if (steps.length === 0)
    return html`<section aria-labelledby="steps"><h2 id="steps">What to do next</h2><p>Nothing: all points are earned.</p></section>`;
  const left = steps.length - MOST_STEPS;
  return html`<section aria-labelledby="steps"><h2 id="steps">What to do next</h2><ol class="marks-list">${steps
    .slice(0, MOST_STEPS)
    .map(
      ({ component, todo, gain }) =>
        html`<li><strong>${titleOf(component)}, up to ${Math.round(gain)} points:</strong> ${untrustedText(todo)}</li>`,
    )}</ol>${left > 0 ? html`<p class="soft">and ${pluralize(left, 'smaller step')}</p>` : ''}</section>`;
}

function checkTable(components: readonly ComponentScore[]): Markup {
  return html`<section aria-labelledby="checks"><h2 id="checks">What was checked</h2>
<div class="scroll" role="region" aria-label="Checks with points" tabindex="0"><table class="words"><caption class="hush">What was checked</caption><thead><tr><th scope="col">Check</th><th scope="col">Result</th><th scope="col">Points</th><th scope="col">Why</th></tr></thead><tbody>${components.map(
    ({ component, state, points, maximum, reason }) =>
      html`<tr><th scope="row">${titleOf(component)}</th><td>${stateMark(state)}</td><td>${maximum === 0 ? '–' : `${points} of ${maximum}`}</td><td>${untrustedText(reason)}</td></tr>`,
  )}</tbody></table></div></section>`;
}
