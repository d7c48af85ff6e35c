/** Text for terminals: escapes, colors, shortens and wraps it. */

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan';
export type Paint = (style: Style, text: string) => string;

/** ECMA-48 section 8.3.117, Select Graphic Rendition. */
const codes: Readonly<Record<Style, number>> = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  magenta: 35,
  cyan: 36,
};

/** Returns a function that applies a style to text, or returns the text unchanged if `colour` is false. */
export function painter(colour: boolean): Paint {
  return (style, text) => (colour && text !== '' ? `\x1b[${codes[style]}m${text}\x1b[0m` : text);
}

/**
 * Returns the value with every string in it safe to print. Control characters, which terminals execute, and format
 * characters, which reorder or hide nearby text, become `\x1b` or `\u{202e}`.
 */
export function visible<T>(value: T): T;
export function visible(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped);
  if (Array.isArray(value)) return value.map((item) => visible(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visible(item)]));
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`;
}

/**
 * A value as lines of JSON that are safe to print: the characters that `visible` replaces are escapes of JSON, so programs
 * read the value as it is.
 */
export const jsonLines = (value: unknown): string[] =>
  JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escapedInJson));

const escapedInJson = (character: string): string =>
  Array.from({ length: character.length }, (_unit, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/** How many characters at the end of a shortened text remain, such as the `-all` of an SPF record. */
const KEPT_END = 8;

/** Shortens a text to at most `room` characters by removing its middle. */
export function shorten(text: string, room: number): string {
  const characters = [...text];
  if (characters.length <= room) return text;
  const end = room > 3 * KEPT_END ? KEPT_END : 0;
  const start = characters.slice(0, Math.max(room - end - 1, 0));
  return room === 0 ? '' : `${start.join('')}…${characters.slice(characters.length - end).join('')}`;
}

/** Wraps text into lines of at most `columns` characters that start with `indent`. Longer words are broken. */
export function wrap(text: string, columns: number, indent: string): readonly string[] {
  const room = Math.max(columns - indent.length, 1);
  const lines: string[] = [];
  let line: readonly string[] = [];
  for (const word of text.split(' ')) {
    const characters = [...word];
    if (line.length > 0 && line.length + 1 + characters.length <= room) {
      line = [...line, ' ', ...characters];
      continue;
    }
    if (line.length > 0) lines.push(line.join(''));
    for (line = characters; line.length > room; line = line.slice(room))
      lines.push(line.slice(0, room).join(''));
  }
  if (line.length > 0) lines.push(line.join(''));
  return lines.map((one) => indent + one);
}
