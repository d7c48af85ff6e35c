/** References in XML without a document type declaration (XML 1.0 section 4.6). */

const predefined: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

const REFERENCE = /&(?:(amp|lt|gt|quot|apos);|#(\d{1,7});|#x([\da-fA-F]{1,6});)?/g;

/** Writes the characters that begin or end markup as references, for the content of elements. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Expands references to the predefined entities and to characters. Any other "&" is replaced by what `onRaw` returns, or
 * `onRaw` throws.
 */
export function expandReferences(text: string, onRaw: () => string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    REFERENCE,
    (found: string, name?: string, decimal?: string, hexadecimal?: string) => {
      const character = name === undefined ? characterOf(decimal, hexadecimal) : predefined.get(name);
      return character ?? found.replace('&', onRaw());
    },
  );
}

function characterOf(decimal: string | undefined, hexadecimal: string | undefined): string | undefined {
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  const isCharacter =
    [0x9, 0xa, 0xd].includes(code) ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}
