/** The header section of a message (RFC 5322 section 2.2) as it arrived, read without giving up on anything. */

export interface HeaderField {
  /** In lower case; empty for a line that is no field. */
  readonly name: string;
  /** Unfolded, without the white space around it, read as UTF-8. */
  readonly value: string;
  /** The field as it stands, an octet a character, without the line end behind it. */
  readonly raw: string;
}

export interface HeaderSection {
  readonly fields: readonly HeaderField[];
  /** Where the body begins. */
  readonly bodyStart: number;
  /** False where only the first MAX_HEADER_OCTETS were read. */
  readonly complete: boolean;
}

/** Real header sections stay below 100 KB; what lies behind this is not looked at. */
export const MAX_HEADER_OCTETS = 512 * 1024;

/** Reads the fields up to the first empty line; takes any octets and any line ends. */
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

/** The values of all fields of a name (in lower case), from the top. */
export function valuesOf({ fields }: HeaderSection, name: string): string[] {
  return fields.filter((field) => field.name === name).map(({ value }) => value);
}

function readField(lines: readonly string[]): HeaderField {
  const raw = lines.join('\r\n');
  // Folding before the colon is obsolete (RFC 5322 section 4.2), and mail programs still take such a line for a field.
  const [, name = ''] = /^([!-9;-~]{1,200})(?:[ \t]|\r\n)*:/.exec(raw) ?? [];
  const value = name === '' ? raw : lines.join('').slice(lines.join('').indexOf(':') + 1);
  return { name: name.toLowerCase(), value: Buffer.from(value, 'latin1').toString('utf8').trim(), raw };
}

function endOfHeader(octets: Buffer): { end: number; bodyStart: number } {
  const first = /^\r?\n/.exec(octets.toString('latin1', 0, 2))?.[0];
  if (first !== undefined) return { end: 0, bodyStart: first.length };
  const ends = ['\r\n\r\n', '\n\n', '\n\r\n']
    .map((mark) => ({ mark, at: octets.indexOf(mark, 0, 'latin1') }))
    .filter(({ at }) => at !== -1)
    .map(({ mark, at }) => ({ end: at, bodyStart: at + mark.length }))
    .sort((a, b) => a.bodyStart - b.bodyStart);
  return ends[0] ?? { end: octets.length, bodyStart: octets.length };
}
