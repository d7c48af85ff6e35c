/**
 * Removes characters at both ends of a text that match `character`, a regular expression for one character. Takes linear
 * time, unlike `/[...]+$/`, which starts anew at each character of a run that isn't at the end.
 */
export function trimMatching(text: string, character: RegExp): string {
  let start = 0;
  let end = text.length;
  while (start < end && character.test(text.charAt(start))) start++;
  while (end > start && character.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
