/** Comments in structured header fields (RFC 5322 section 3.2.2), which may stand wherever white space may. */

/**
 * The text with spaces in place of its comments, nested ones too, so that what is left stays where it is. A backslash
 * in a comment quotes the character that follows it.
 */
export function withoutComments(text: string): string {
  let depth = 0;
  let isQuoted = false;
  return Array.from(text, (character) => {
    const wasQuoted = isQuoted;
    isQuoted = depth > 0 && character === '\\' && !wasQuoted;
    if (depth === 0 && character !== '(') return character;
    if (character === '(' && !wasQuoted) depth += 1;
    if (character === ')' && !wasQuoted) depth -= 1;
    return ' '.repeat(character.length);
  }).join('');
}
