/** What to fix next: the recommended changes of a domain, with records to copy. */
import type { Change, Plan } from '../../fixes/plan.ts';
import { riskOf } from '../../fixes/risk.ts';
import { formatNumber, pluralize } from '../../protocol/quantity.ts';
import { copyButton } from '../components/actions.ts';
import { html, type Markup, untrustedText, visibleStart } from '../markup.ts';
import { fitting, inTurn, more } from '../room.ts';
import { code } from './text.ts';

const classes = {
  safe: { name: 'safe', tone: 'pass', meaning: 'Cannot hurt mail.' },
  'needs-decision': { name: 'your decision', tone: 'open', meaning: 'Depends on what only you know.' },
  advice: { name: 'advice', tone: '', meaning: 'Concerns records that others write.' },
} as const;

const actions = { add: 'Add', replace: 'Replace', remove: 'Remove' } as const;

/**
 * What to do, what is most dangerous first, each with its points.
 * @param actionOf What the visitor can do with a change, beside copying its records.
 */
export function fixNext(
  { changes, files, manual, score, scoreAfter }: Plan,
  room: number,
  actionOf: (change: Change) => Markup = () => html``,
): Markup {
  if (changes.length + files.length + manual.length === 0)
    return html`<section aria-labelledby="fix"><h2 id="fix">${score === null ? 'Nothing is known to fix' : 'Nothing to fix'}</h2></section>`;
  const entries = [
    ...changes.map((change) => ({
      ...{ risk: riskOf(change.resolves), gain: change.gain },
      card: (left: number, at: number) => changeCard(change, at, left, actionOf(change)),
    })),
    ...manual.map((step) => ({
      ...{ risk: riskOf(step.resolves), gain: step.gain },
      card: () => manualCard(step),
    })),
  ].toSorted((a, b) => a.risk - b.risk || b.gain - a.gain);
  return html`<section aria-labelledby="fix"><h2 id="fix">Fix next</h2>
<p class="soft">What is most dangerous comes first.${score !== null && scoreAfter !== null && scoreAfter > score ? ` The safe changes together raise the score from ${score} to ${scoreAfter}.` : ''}</p>
${inTurn(room, [
  (left) => {
    const { shown, omitted } = fitting(entries, left, ({ card }, most, index) => card(most, index));
    const later = html`${shown.length > FIRST ? html`<ul class="cards">${shown.slice(FIRST)}</ul>` : ''}${omitted > 0 ? html`<p>${more(omitted)}</p>` : ''}${files.map(fileCard)}`;
    const others = entries.length - FIRST;
    return html`<ul class="cards">${shown.slice(0, FIRST)}</ul>${others > 0 ? html`<details class="fold later"><summary>${formatNumber(others)} more</summary>${later}</details>` : later}`;
  },
])}</section>`;
}

/** How many are shown before the others are unfolded: nobody does more at once. */
const FIRST = 3;

function fileCard({ url, content }: Plan['files'][number], index: number): Markup {
  return html`<div class="card"><div class="head"><h3>Serve ${code(url)}</h3>${copyButton(`file-${index}`, 'file')}</div><div id="file-${index}" class="record">${content.split(/\r?\n/).map((text) => html`<div><code>${untrustedText(text)}</code></div>`)}</div></div>`;
}

function manualCard({ reason, gain, evidence }: Plan['manual'][number]): Markup {
  return html`<li class="card"><div class="head"><h3>${visibleStart(evidence[0] ?? reason, 200)} ${gain === 0 ? html`<span class="soft">no points</span>` : html`<strong>up to +${gain}</strong>`}</h3><span class="tag">by hand</span></div>
<p>${visibleStart(reason, 400)}</p></li>`;
}

function changeCard(change: Change, index: number, room: number, action: Markup): Markup {
  const { name, meaning, tone } = classes[change.class];
  // A record set is replaced as a whole, so a part of it is not for copying.
  const after = values(change.after, room / 2);
  const gain =
    change.gain === 0 ? html` <span class="soft">no points</span>` : html` <strong>+${change.gain}</strong>`;
  return html`<li class="card"><div class="head"><h3>${actions[change.action]} ${change.type} ${code(change.name)}${gain}</h3><span class="tag ${tone}" title="${meaning}">${name}</span></div>
<p>${visibleStart(change.reason, 400)}</p>
${valueList('Before', values(change.before, room / 4), `before-${index}`)}${valueList('After', after, `after-${index}`)}
<p class="soft">${change.rollback} Resolvers can have the old records for ${hours(change.waitSeconds)}.</p>
<div class="actions">${after.omitted === 0 && after.shown.length > 0 ? copyButton(`after-${index}`, 'records') : ''}
${action}</div></li>`;
}

const values = (records: readonly string[], room: number) =>
  fitting(records, room, (text) => html`<div>${code(text, 4000)}</div>`);

function valueList(title: string, { shown, omitted }: ReturnType<typeof values>, id: string): Markup {
  if (shown.length + omitted === 0) return html`<p><strong>${title}:</strong> no records</p>`;
  return html`<p><strong>${title}:</strong></p><div class="record" id="${id}">${shown}${omitted > 0 ? html`<p>${more(omitted)}</p>` : ''}</div>`;
}

const hours = (seconds: number): string =>
  seconds < 3600
    ? pluralize(Math.ceil(seconds / 60), 'minute')
    : pluralize(Math.ceil(seconds / 3600), 'hour');
