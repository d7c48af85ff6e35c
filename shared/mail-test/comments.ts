/** Comments in structured header fields (RFC 5322 section 3.2.2), which may stand wherever a blank may. */

/** The text with blanks in place of its comments, nested ones too, so that what is left stands where it stood. */
export function withoutComments(text: string): string {
  let depth = 0;
  return Array.from(text, (character) => {
    if (character === '(') depth += 1;
    else if (character === ')' && depth > 0) depth -= 1;
    else if (depth === 0) return character;
    return ' '.repeat(character.length);
  }).join('');
}
