/** Detects UTF-16 by the first bytes of a text. */

/** By byte order mark, or by a zero byte next to the first ASCII character (XML 1.0 appendix F, RFC 4627 section 3). */
export function detectUtf16([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === undefined || second === undefined) return undefined;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return undefined;
}
