/** The header fields of a message as text (RFC 5322 section 2.2). */

/** The bytes up to the first empty line, or all of them, one character per byte. */
export function headerSection(message: Uint8Array): string {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (/^\r?\n/.test(bytes.toString('latin1', 0, 2))) return '';
  const ends = ['\r\n\r\n', '\n\n'].map((end) => bytes.indexOf(end, 0, 'latin1')).filter((at) => at >= 0);
  return bytes.toString('latin1', 0, ends.length === 0 ? bytes.length : Math.min(...ends));
}

/** Each field on one line, runs of white space as one blank. */
export function unfolded(section: string): string[] {
  return section
    .split(/\r?\n(?![ \t])/)
    .map((field) => field.replace(/\s+/g, ' ').trim())
    .filter((field) => field !== '');
}
