/** Names that people gave themselves, in any script, inside our sentences. DNS records, which are ASCII, have `excerpt`. */

/**
 * Runs of controls, of what turns the direction of reading, of halves of surrogate pairs, and of whatever leaves no mark
 * on paper, which the Braille pattern without dots (U+2800) does not either. To split by as well: what is hidden is then
 * every second part.
 */
export const HIDDEN = /([\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+)/gu;

/** The first `limit` characters of `text` on one line; those that mislead a reader are written as `\u{202e}`. */
export function legible(text: string, limit: number): string {
  const characters = Array.from(text);
  const start = characters.slice(0, limit).join('');
  const shown = start.replace(HIDDEN, escaped);
  return characters.length > limit ? `${shown}...` : shown;
}

/** Each character of a text as `\u{202e}`. */
export function escaped(text: string): string {
  return Array.from(text, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`).join('');
}
