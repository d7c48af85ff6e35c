/** Encoded words in header fields as the text that they stand for (RFC 2047). */

const MAX_TEXT = 2000;

/** Decodes every encoded word of a known character set; what cannot be decoded stays as it stands. */
export function decodeWords(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .replace(/(=\?[^?\s]{1,40}\?[bq]\?[^?\s]{0,400}\?=)\s+(?==\?)/gi, '$1')
    .replace(
      /=\?([^?*\s]{1,40})(?:\*[^?\s]{1,20})?\?([bq])\?([^?\s]{0,400})\?=/gi,
      (word, charset, encoding, content) => decode(charset, encoding, content) ?? word,
    );
}

function decode(charset: string, encoding: string, content: string): string | undefined {
  try {
    const octets = encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : quotedPrintable(content);
    return new TextDecoder(charset).decode(octets);
  } catch {
    return undefined;
  }
}

function quotedPrintable(content: string): Uint8Array {
  const plain = content
    .replace(/_/g, ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(plain, 'latin1');
}
