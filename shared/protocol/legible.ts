/** Names that people gave themselves, in any script, inside our sentences. DNS records, which are ASCII, have `excerpt`. */

/** Controls, what turns the direction of reading, halves of surrogate pairs, and whatever leaves no mark on paper. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The first `limit` characters of `text` on one line; those that mislead a reader are written as `\u{202e}`. */
export function legible(text: string, limit: number): string {
  const characters = Array.from(text);
  const start = characters.slice(0, limit).join('');
  const shown = start.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return characters.length > limit ? `${shown}...` : shown;
}
