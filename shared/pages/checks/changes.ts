/** What to fix next: the recommended changes of a domain, with records to copy. */
import type { Change, Plan } from '../../fixes/plan.ts';
import { counted } from '../../protocol/quantity.ts';
import { html, type Markup, visible, visibleStart } from '../markup.ts';
import { copyButton } from '../spf/actions.ts';
import { code } from './text.ts';

const classes = {
  safe: { name: 'safe', tone: 'pass', meaning: 'Cannot hurt mail.' },
  'needs-decision': { name: 'your decision', tone: 'open', meaning: 'Depends on what only you know.' },
  advice: { name: 'advice', tone: '', meaning: 'Concerns records that others write.' },
} as const;

const actions = { add: 'Add', replace: 'Replace', remove: 'Remove' } as const;

/**
 * The recommended changes, those with the highest gain first.
 * @param most How many changes and records are shown.
 * @param actionOf What the visitor can do with a change, beside copying its records.
 */
export function fixNext(
  { changes, files, manual, score, scoreAfter }: Plan,
  most: number,
  actionOf: (change: Change) => Markup = () => html``,
): Markup {
  if (changes.length + files.length + manual.length === 0)
    return html`<section aria-labelledby="fix"><h2 id="fix">${score === null ? 'Nothing is known to fix' : 'Nothing to fix'}</h2></section>`;
  const byGain = changes.toSorted((a, b) => b.gain - a.gain);
  const left = Math.max(0, manual.length - most);
  return html`<section aria-labelledby="fix"><h2 id="fix">Fix next</h2>
${score !== null && scoreAfter !== null && scoreAfter > score ? html`<p class="soft">The safe changes together raise the score from ${score} to ${scoreAfter}.</p>` : ''}
<ul class="cards">${byGain.slice(0, most).map((change, index) => changeCard(change, index, most, actionOf(change)))}</ul>
${files.map(({ url, content }, index) => html`<div class="card"><div class="head"><h3>Serve ${code(url)}</h3>${copyButton(`file-${index}`, 'file')}</div><div id="file-${index}" class="record">${content.split(/\r?\n/).map((text) => html`<div><code>${visible(text)}</code></div>`)}</div></div>`)}
${manual.length === 0 ? '' : html`<h3>What else to do</h3><ul class="findings">${manual.slice(0, most).map(({ reason }) => html`<li>${visibleStart(reason, 400)}</li>`)}${left > 0 ? html`<li class="note">and ${left} more, available through the API</li>` : ''}</ul>`}</section>`;
}

function changeCard(change: Change, index: number, most: number, action: Markup): Markup {
  const { name, meaning, tone } = classes[change.class];
  // A record set is replaced as a whole, so a part of it is not for copying.
  const isComplete = change.after.length <= most;
  const gain = change.gain === 0 ? '' : html` <strong>+${change.gain}</strong>`;
  return html`<li class="card"><div class="head"><h3>${actions[change.action]} ${change.type} ${code(change.name)}${gain}</h3><span class="tag ${tone}" title="${meaning}">${name}</span></div>
<p>${visibleStart(change.reason, 400)}</p>
${values('Before', change.before, `before-${index}`, most)}${values('After', change.after, `after-${index}`, most)}
<p class="soft">${change.rollback} Resolvers can have the old records for ${hours(change.waitSeconds)}.</p>
<div class="actions">${isComplete && change.after.length > 0 ? copyButton(`after-${index}`, 'records') : ''}
${action}</div></li>`;
}

function values(title: string, records: readonly string[], id: string, most: number): Markup {
  if (records.length === 0) return html`<p><strong>${title}:</strong> no records</p>`;
  const left = records.length - most;
  return html`<p><strong>${title}:</strong></p><div class="record" id="${id}">${records.slice(0, most).map((text) => html`<div>${code(text, 4000)}</div>`)}${left > 0 ? html`<p class="note">and ${counted(left, 'more record')}, available through the API</p>` : ''}</div>`;
}

const hours = (seconds: number): string =>
  seconds < 3600 ? counted(Math.ceil(seconds / 60), 'minute') : counted(Math.ceil(seconds / 3600), 'hour');
