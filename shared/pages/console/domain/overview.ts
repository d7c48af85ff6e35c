/** One domain at a glance: its grade with history, what to fix next, and the eight checks with their evidence. */

import type { CheckResults } from '../../../checks/results.ts';
import { checkTitles } from '../../../checks/state.ts';
import type { Change, Plan } from '../../../fixes/plan.ts';
import type { Owner } from '../../../protocol/findings/finding.ts';
import { counted } from '../../../protocol/quantity.ts';
import type { Grade } from '../../../score/grade.ts';
import type { Score } from '../../../score/score.ts';
import type { ChecksEntry, ScoreEntry } from '../../../store/check-runs/history.ts';
import { line, type Point } from '../../charts/line.ts';
import { html, type Markup, moment, visible, visibleStart } from '../../markup.ts';
import { copyButton } from '../../spf/actions.ts';
import { formTokenField } from '../layout.ts';
import { checkSections } from './checks.ts';
import { domainFrame, domainPath, nothingYet, type ShownDomain } from './frame.ts';
import { code, day, dayInWords } from './text.ts';

export interface OverviewView {
  readonly owner: Owner;
  /** Undefined before the first check run. */
  readonly checked:
    | { readonly checkedAt: string; readonly results: CheckResults; readonly score: Score }
    | undefined;
  readonly plan: Plan;
  /** Newest first. */
  readonly scores: readonly ScoreEntry[];
  readonly changes: readonly ChecksEntry[];
  /** ISO 8601: the current time. */
  readonly now: string;
  /** The record to publish, while ownership is not verified. */
  readonly toVerify?: { readonly hostname: string; readonly value: string } | undefined;
}

/** The changes that are marked in the history of the score. */
const MAX_MARKS = 8;

const tones: Readonly<Record<Grade, string>> = { A: '', B: '', C: 'warn', D: 'warn', F: 'bad' };

/** @param most How many changes, records and findings of a check the page shows. */
export function overviewPage(domain: ShownDomain, view: OverviewView, most: number): Markup {
  const { checked, plan, owner } = view;
  if (checked === undefined) {
    const none = nothingYet(
      'This domain has not been checked yet',
      domain.canWrite
        ? 'Check it now; this takes a few seconds.'
        : 'Ask somebody who may change it to run the checks.',
    );
    return domainFrame(domain, '', html`${verification(domain, view)}${none}${checkNowForm(domain)}`);
  }
  return domainFrame(
    domain,
    '',
    html`${verification(domain, view)}${verdict(domain, checked)}
${scoreHistory(domain, view)}
${fixNext(domain, plan, most)}
${checkSections(checked.results, checked.score, owner, most)}`,
  );
}

/** The step that starts monitoring: to prove that the domain is the visitor's. */
function verification({ id, canWrite, formToken }: ShownDomain, { toVerify }: OverviewView): Markup {
  if (toVerify === undefined) return html``;
  return html`<section class="empty" aria-labelledby="verify"><h2 id="verify">Verify that the domain is yours</h2>
<p>Verified domains are checked on a schedule, and changes raise alerts. Publish this TXT record at ${code(toVerify.hostname)}:</p>
<div class="record" id="verification">${code(toVerify.value)}</div>
<div class="actions"><button type="button" class="small" data-copy="verification" hidden>Copy</button></div>
${canWrite ? html`<form method="post" action="${domainPath(id)}/verify" class="actions">${formTokenField(formToken)}<button data-busy="Looking up…">Verify</button></form>` : ''}</section>`;
}

function verdict(domain: ShownDomain, { checkedAt, score }: NonNullable<OverviewView['checked']>): Markup {
  const { score: points, grade, label } = score;
  return html`<section class="verdict ${grade === null ? 'unknown' : tones[grade]}" aria-labelledby="grade"><h2 id="grade" class="word">${grade === null ? 'No grade' : `Grade ${grade}: ${label}`}</h2>
<p>${points === null ? (score.message ?? label) : html`<strong>${points}</strong> of 100 points.`} Checked ${moment(checkedAt)}.</p>
${score.confidence < 1 ? html`<p>Some lookups failed. The grade counts only what is known.</p>` : ''}
${checkNowForm(domain)}</section>`;
}

function checkNowForm({ id, canWrite, formToken }: ShownDomain): Markup {
  if (!canWrite) return html``;
  return html`<form method="post" action="${domainPath(id)}/checks" class="actions">${formTokenField(formToken)}<button data-busy="Checking…">Check now</button></form>`;
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
${line({
  id: 'scores',
  title: 'Score over time',
  summary: `${counted(scores.length, 'value')}, the last one ${last ?? 'unknown'}. Numbers mark changes of records and findings.`,
  unit: 'From',
  measure: 'Score',
  maximum: 100,
  steps: true,
  range: [dayInWords(oldest.at), 'today'],
  points: [...points, ...marks].toSorted((a, b) => a.at - b.at),
})}
${marked.length === 0 ? html`<p class="soft">Nothing changed since then.</p>` : html`<ol class="marks-list">${marked.map(({ at, changes: of }) => html`<li><a href="${domainPath(id, 'history')}#${at}">${day(at)}</a> ${of.map(({ check }) => checkTitles[check]).join(', ')} changed</li>`)}</ol>`}
<p><a href="${domainPath(id, 'history')}">All changes</a></p></section>`;
}

const classes = {
  safe: { name: 'safe', tone: 'pass', meaning: 'Cannot hurt mail.' },
  'needs-decision': { name: 'your decision', tone: 'open', meaning: 'Depends on what only you know.' },
  advice: { name: 'advice', tone: '', meaning: 'Concerns records that others write.' },
} as const;

const actions = { add: 'Add', replace: 'Replace', remove: 'Remove' } as const;

function fixNext(
  domain: ShownDomain,
  { changes, files, manual, score, scoreAfter }: Plan,
  most: number,
): Markup {
  if (changes.length + files.length + manual.length === 0)
    return html`<section aria-labelledby="fix"><h2 id="fix">Nothing to fix</h2></section>`;
  const byGain = changes.toSorted((a, b) => b.gain - a.gain);
  const left = Math.max(0, manual.length - most);
  return html`<section aria-labelledby="fix"><h2 id="fix">Fix next</h2>
${score !== null && scoreAfter !== null && scoreAfter > score ? html`<p class="soft">The safe changes together raise the score from ${score} to ${scoreAfter}.</p>` : ''}
<ul class="cards">${byGain.slice(0, most).map((change, index) => changeCard(domain, change, index, most))}</ul>
${files.map(({ url, content }, index) => html`<div class="card"><div class="head"><h3>Serve ${code(url)}</h3>${copyButton(`file-${index}`, 'file')}</div><div id="file-${index}" class="record">${content.split(/\r?\n/).map((text) => html`<div><code>${visible(text)}</code></div>`)}</div></div>`)}
${manual.length === 0 ? '' : html`<h3>What records alone do not fix</h3><ul class="findings">${manual.slice(0, most).map(({ reason }) => html`<li>${visibleStart(reason, 400)}</li>`)}${left > 0 ? html`<li class="note">and ${left} more, available through the API</li>` : ''}</ul>`}</section>`;
}

function changeCard(domain: ShownDomain, change: Change, index: number, most: number): Markup {
  const { name, meaning, tone } = classes[change.class];
  const gain = change.gain === 0 ? '' : html` <strong>+${change.gain}</strong>`;
  return html`<li class="card"><div class="head"><h3>${actions[change.action]} ${change.type} ${code(change.name)}${gain}</h3><span class="tag ${tone}" title="${meaning}">${name}</span></div>
<p>${visibleStart(change.reason, 400)}</p>
${values('Before', change.before, `before-${index}`, most)}${values('After', change.after, `after-${index}`, most)}
<p class="soft">${change.rollback} Resolvers can have the old records for ${hours(change.waitSeconds)}.</p>
<div class="actions">${change.after.length === 0 ? '' : copyButton(`after-${index}`, 'records')}
<form method="post" action="${domainPath(domain.id)}/preview">${formTokenField(domain.formToken)}<input type="hidden" name="change" value="${change.id}"><button class="small" data-busy="Previewing…">Preview</button></form></div></li>`;
}

function values(title: string, records: readonly string[], id: string, most: number): Markup {
  if (records.length === 0) return html`<p><strong>${title}:</strong> no records</p>`;
  const left = records.length - most;
  return html`<p><strong>${title}:</strong></p><div class="record" id="${id}">${records.slice(0, most).map((text) => html`<div>${code(text, 4000)}</div>`)}${left > 0 ? html`<p class="note">and ${counted(left, 'more record')}, available through the API</p>` : ''}</div>`;
}

const hours = (seconds: number): string =>
  seconds < 3600 ? counted(Math.ceil(seconds / 60), 'minute') : counted(Math.ceil(seconds / 3600), 'hour');
