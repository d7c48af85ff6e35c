/** A tolerant parser for the header section of a message (RFC 5322 section 2.2). */

export interface HeaderField {
  /** In lowercase; empty for a line that is not a field. */
  readonly name: string;
  /** Unfolded, without the whitespace around it, decoded as UTF-8. */
  readonly value: string;
  /** The raw field, one character per octet, without the final line ending. */
  readonly raw: string;
}

export interface HeaderSection {
  readonly fields: readonly HeaderField[];
  /** The offset of the body. */
  readonly bodyStart: number;
  /** False if only the first MAX_HEADER_OCTETS were read. */
  readonly complete: boolean;
}

const [LF, CR] = [0x0a, 0x0d];

/** Real header sections are smaller than 100 KB. The rest is ignored. */
export const MAX_HEADER_OCTETS = 512 * 1024;

/** Parses the fields up to the first empty line. Accepts any octets and any line endings. */
export function readHeaderSection(message: Uint8Array): HeaderSection {
  const octets = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const { end, bodyStart } = endOfHeader(octets);
  const complete = end <= MAX_HEADER_OCTETS;
  const text = octets.toString('latin1', 0, Math.min(end, MAX_HEADER_OCTETS));
  const fields: string[][] = [];
  for (const line of text.split(/\r?\n/)) {
    const field = fields.at(-1);
    if (field !== undefined && /^[ \t]/.test(line)) field.push(line);
    else if (line !== '') fields.push([line]);
  }
  return { fields: fields.map(readField), bodyStart, complete };
}

/** The values of all fields with a name (in lowercase), from the top. */
export function valuesOf({ fields }: HeaderSection, name: string): string[] {
  return fields.filter((field) => field.name === name).map(({ value }) => value);
}

function readField(lines: readonly string[]): HeaderField {
  const raw = lines.join('\r\n');
  // Folding before the colon is obsolete (RFC 5322 section 4.2), but mail programs still accept such a field.
  const [, name = ''] = /^([!-9;-~]{1,200})(?:[ \t]|\r\n)*:/.exec(raw) ?? [];
  const value = name === '' ? raw : lines.join('').slice(lines.join('').indexOf(':') + 1);
  return { name: name.toLowerCase(), value: Buffer.from(value, 'latin1').toString('utf8').trim(), raw };
}

/** Finds the empty line that ends the header section, with either kind of line ending. */
function endOfHeader(octets: Buffer): { end: number; bodyStart: number } {
  for (let start = 0; start < octets.length && start <= MAX_HEADER_OCTETS; ) {
    const bodyStart = start + (octets[start] === CR ? 2 : 1);
    if (octets[bodyStart - 1] === LF) return { end: start, bodyStart };
    const lineEnd = octets.indexOf(LF, start);
    if (lineEnd === -1) break;
    start = lineEnd + 1;
  }
  return { end: octets.length, bodyStart: octets.length };
}
