/** Foreign text of a message, in any script. */
import { HIDDEN } from '../../protocol/legible.ts';
import { html, type Markup, odd } from '../markup.ts';

const MAX_SHOWN = 300;

/**
 * Text of strangers that people are to read: letters of all scripts stay, what is invisible or turns the direction of
 * reading is written as `\u{202e}` and set apart.
 */
export function readable(text: string, limit = MAX_SHOWN): Markup {
  const runs = text.slice(0, limit).split(HIDDEN);
  const shown = runs.map((run, index) => (index % 2 === 0 ? run : odd(run)));
  return html`${shown}${text.length > limit ? '…' : ''}`;
}

/** `−1.3`, with the sign that is as wide as a plus. */
export function points(score: number): string {
  return score < 0 ? `−${Math.abs(score)}` : String(score);
}

/** The same as a difference: `+2`, `−0.5`. */
export function difference(score: number): string {
  return score > 0 ? `+${score}` : points(score);
}
