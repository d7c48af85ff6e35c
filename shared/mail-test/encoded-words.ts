/** Decodes encoded words in header fields (RFC 2047). */

const MAX_TEXT = 2000;

/** One encoded word: printable ASCII (section 2), optionally with a language after the charset (RFC 2231 section 5). */
const WORD = /=\?([!-)+->@-~]{1,40})(?:\*[!-)+->@-~]{1,20})?\?([bq])\?([!->@-~]{0,400})\?=/gi;
/** Adjacent encoded words; white space between them is ignored (section 6.2). */
const WORDS = new RegExp(`${WORD.source}(?:\\s*${WORD.source})*`, 'gi');

/** Decodes every encoded word with a known charset; anything else is left unchanged. */
export function decodeWords(text: string): string {
  return text.slice(0, MAX_TEXT).replace(WORDS, decodeTogether);
}

function decodeTogether(words: string): string {
  const pieces: Piece[] = [];
  for (const [word, charset = '', encoding = '', content = ''] of words.matchAll(WORD)) {
    const last = pieces.at(-1);
    const octets = encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : quotedPrintable(content);
    if (last?.charset === charset.toLowerCase()) {
      last.words.push(word);
      last.octets.push(octets);
    } else pieces.push({ charset: charset.toLowerCase(), words: [word], octets: [octets] });
  }
  return pieces.map(textOf).join('');
}

/** Adjacent words in one charset. */
interface Piece {
  readonly charset: string;
  readonly words: string[];
  readonly octets: Uint8Array[];
}

/** Each word should decode on its own (RFC 2047 section 5), but many senders split multi-byte characters. */
function textOf({ charset, words, octets }: Piece): string {
  try {
    const whole = new TextDecoder(charset, { fatal: true });
    return octets.map((each) => whole.decode(each)).join('');
  } catch {
    try {
      return new TextDecoder(charset).decode(Buffer.concat(octets));
    } catch {
      return words.join(' ');
    }
  }
}

function quotedPrintable(content: string): Uint8Array {
  const plain = content
    .replace(/_/g, ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(plain, 'latin1');
}
