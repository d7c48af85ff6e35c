/** Quotes names that users chose, in any script, in messages. For DNS records, which are ASCII, use `excerpt`. */

/**
 * Runs of control characters, bidirectional controls, lone surrogates, and characters that are invisible, including the
 * blank Braille pattern (U+2800). Can also be used to split a text: every second part is then hidden.
 */
export const HIDDEN = /([\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+)/gu;

/** The first `limit` characters of `text` on one line. Characters that could mislead are written as `\u{202e}`. */
export function printable(text: string, limit: number): string {
  const characters = Array.from(text);
  const start = characters.slice(0, limit).join('');
  const shown = start.replace(HIDDEN, escaped);
  return characters.length > limit ? `${shown}...` : shown;
}

/** Each character of a text in the form `\u{202e}`. */
export function escaped(text: string): string {
  return Array.from(text, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`).join('');
}
