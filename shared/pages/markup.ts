/** How pages are written: hono's escaping templates, and foreign text that shows what it holds. */
import { html } from 'hono/html';
import { escaped } from '../protocol/legible.ts';

export { html, raw } from 'hono/html';

/** Escaped markup. Anything else that is put into a template is escaped there. */
export type Markup = ReturnType<typeof html>;

/**
 * Text of strangers, each character shown as what it is: all but printable ASCII, which is all that SPF knows, is
 * written as `\u{202e}` and set apart, so that nothing is invisible, reordered or mistaken for another letter.
 */
export function visible(text: string): Markup {
  const runs = text.split(/([^\x20-\x7e]+)/);
  return html`${runs.map((run, index) => (index % 2 === 0 ? run : odd(run)))}`;
}

/** The same, cut where it is longer than anybody reads. */
export function visibleStart(text: string, limit = 240): Markup {
  if (text.length <= limit) return visible(text);
  return html`${visible(text.slice(0, limit))}<span class="note">… ${number(text.length)} characters in all</span>`;
}

/** Characters that would not show as what they are, written out and set apart. */
export function odd(run: string): Markup {
  return html`<span class="odd">${escaped(run)}</span>`;
}

/** A whole number with commas between its thousands. */
export function number(value: number | bigint): string {
  return value.toLocaleString('en');
}

/** `1 look-up`, `2 look-ups`. */
export function counted(value: number | bigint, one: string, many = `${one}s`): string {
  return `${number(value)} ${Number(value) === 1 ? one : many}`;
}

/** A moment in words, with its exact time for programs. */
export function moment(iso: string): Markup {
  return html`<time datetime="${iso}">${timeInWords(iso)}</time>`;
}

/** `21 November 2026, 10:31 UTC`. */
export function timeInWords(iso: string): string {
  const words = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${words.format(new Date(iso)).replace(' at ', ', ')} UTC`;
}
