/** Names and values of monitoring as text for people. */
import type { CheckState } from '../../checks/state.ts';
import { dayInWords } from '../../protocol/time.ts';
import { html, type Markup, visibleStart } from '../markup.ts';

/** A state of something: the sign tells it apart without colour. */
export interface Mark {
  readonly sign: string;
  readonly word: string;
  /** The style. */
  readonly tone: string;
}

export const mark = ({ sign, word, tone }: Mark): Markup =>
  html`<span class="state-mark ${tone}"><span class="q" aria-hidden="true">${sign}</span> ${word}</span>`;

const states: Readonly<Record<CheckState, Mark>> = {
  pass: { sign: '✓', word: 'pass', tone: 'pass' },
  warning: { sign: '!', word: 'warning', tone: 'softfail' },
  fail: { sign: '✕', word: 'fail', tone: 'fail' },
  absent: { sign: '–', word: 'absent', tone: 'neutral' },
  'not-applicable': { sign: '·', word: 'not applicable', tone: 'neutral' },
  unknown: { sign: '?', word: 'unknown', tone: 'neutral' },
};

export const stateMark = (state: CheckState): Markup => mark(states[state]);

/** The sign as a cell of a large table, whose style hides the word from those who see it. */
export function signCell(state: CheckState): Markup {
  const { sign, word, tone } = states[state];
  return tone === 'neutral'
    ? html`<td>${sign}<i>${word}</i></td>`
    : html`<td class="${tone}">${sign}<i>${word}</i></td>`;
}

/** What the signs mean. */
export const markLegend: Markup = html`<ul class="check-marks">${Object.values(states).map(({ sign, word, tone }) => html`<li class="${tone}" data-sign="${sign}">${word}</li>`)}</ul>`;

/** A `<time>` element with a day. */
export function day(iso: string): Markup {
  return html`<time datetime="${iso.slice(0, 10)}">${dayInWords(iso)}</time>`;
}

/** The days from one to another, or one day. */
export function daysFromTo(from: string, to: string): Markup {
  return from.slice(0, 10) === to.slice(0, 10) ? day(from) : html`${day(from)} – ${day(to)}`;
}

/** @param value Null: not known. */
export const yesNo = (value: boolean | null): string => (value === null ? 'unknown' : value ? 'yes' : 'no');

/** Untrusted text, such as a record, as code. */
export function code(text: string, limit = 500): Markup {
  return html`<code>${visibleStart(text, limit)}</code>`;
}
