/** Building blocks of pages: hono's escaping templates, and a safe rendering of untrusted text. */

import { html } from 'hono/html';
import { escaped } from '../protocol/printable.ts';
import { formatNumber } from '../protocol/quantity.ts';
import { timeInWords } from '../protocol/time.ts';

export { html, raw } from 'hono/html';

/** Escaped markup. A template escapes every value that is not of this type. */
export type Markup = ReturnType<typeof html>;

/**
 * Untrusted text. SPF allows only printable ASCII; every other character is written as an escape such as `\u{202e}` and
 * highlighted, so that nothing is invisible, reordered, or mistaken for another letter.
 */
export function untrustedText(text: string): Markup {
  const runs = text.split(/([^\x20-\x7e]+)/);
  return html`${runs.map((run, index) => (index % 2 === 0 ? run : escapeNonAscii(run)))}`;
}

/** Like `untrustedText`, truncated to `limit` characters. */
export function visibleStart(text: string, limit = 240): Markup {
  if (text.length <= limit) return untrustedText(text);
  return html`${untrustedText(text.slice(0, limit))}<span class="note">… ${formatNumber(text.length)} characters in total</span>`;
}

/** Characters that would display misleadingly, escaped and highlighted. */
export function escapeNonAscii(run: string): Markup {
  return html`<span class="odd">${escaped(run)}</span>`;
}

/** A `<time>` element with a readable date and the exact ISO time. */
export function timeElement(iso: string): Markup {
  return html`<time datetime="${iso}">${timeInWords(iso)}</time>`;
}

/** The same for the time of an event. If it is in the future, the clock that wrote it was wrong, and the reader is told so. */
export function eventTime(iso: string, now = new Date()): Markup {
  const isWrong = Date.parse(iso) - now.getTime() > CLOCK_TOLERANCE_MILLISECONDS;
  return isWrong ? html`${timeElement(iso)} (in the future, because a clock was wrong)` : timeElement(iso);
}

/** By how much the clocks of two hosts may differ. */
const CLOCK_TOLERANCE_MILLISECONDS = 60_000;
