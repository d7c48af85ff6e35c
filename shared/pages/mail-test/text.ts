/** Untrusted text of a message, in any script. */
import { HIDDEN } from '../../protocol/printable.ts';
import { escapeNonAscii, html, type Markup } from '../markup.ts';

const MAX_SHOWN = 300;

/**
 * Untrusted text for people to read: letters of all scripts are kept; invisible characters and characters that change
 * the text direction are written as escapes such as `\u{202e}` and highlighted.
 */
export function readable(text: string, limit = MAX_SHOWN): Markup {
  const runs = text.slice(0, limit).split(HIDDEN);
  const shown = runs.map((run, index) => (index % 2 === 0 ? run : escapeNonAscii(run)));
  return html`${shown}${text.length > limit ? '…' : ''}`;
}

/** `−1.3`, with a minus sign as wide as a plus sign. */
export function points(score: number): string {
  return score < 0 ? `−${Math.abs(score)}` : String(score);
}

/** The score as a difference: `+2`, `−0.5`. */
export function difference(score: number): string {
  return score > 0 ? `+${score}` : points(score);
}
