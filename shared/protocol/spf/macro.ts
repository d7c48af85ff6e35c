/** SPF macros (RFC 7208 section 7): parsed once, expanded for each message. */
import { addressLabels, formatIp, type IpAddress } from '../ip.ts';

/** The macro letters, in lowercase. */
export type MacroLetter = 's' | 'l' | 'o' | 'd' | 'i' | 'p' | 'v' | 'h' | 'c' | 'r' | 't';

interface Macro {
  readonly text: string;
  readonly letter: MacroLetter;
  /** The number of parts to keep on the right; infinite without digits. */
  readonly keep: number;
  readonly reverse: boolean;
  /** The characters that separate parts. Empty means the dot. */
  readonly delimiters: string;
  /** An uppercase letter requests URL escaping. */
  readonly escaped: boolean;
}

/** `%%`, `%_` and `%-`, which have fixed values. */
interface Escape {
  readonly text: string;
  readonly value: string;
}

export interface MacroString {
  readonly text: string;
  /** Strings are literal text. */
  readonly pieces: readonly (string | Macro | Escape)[];
}

export type MacroProblem = 'invalid-character' | 'invalid-macro' | 'explanation-macro';

type ParsedMacroString =
  | { readonly ok: true; readonly value: MacroString }
  /** `at` is the offset of the error in the text. */
  | { readonly ok: false; readonly problem: MacroProblem; readonly at: number };

/** The use of a text: macro-string of a term, or explain-string, which may contain spaces and the letters c, r, t. */
export type MacroUse = 'term' | 'explanation';

const TOKENS = {
  term: /%\{([slodiphcrtv])(\d*)(r?)([.\-+,/_=]*)\}|%[%_-]|[\x21-\x24\x26-\x7e]+/iy,
  explanation: /%\{([slodiphcrtv])(\d*)(r?)([.\-+,/_=]*)\}|%[%_-]|[\x20-\x24\x26-\x7e]+/iy,
} as const satisfies Record<MacroUse, RegExp>;

const ESCAPES: Readonly<Record<string, string>> = { '%%': '%', '%_': ' ', '%-': '%20' };

const EXPLANATION_LETTERS: ReadonlySet<string> = new Set(['c', 'r', 't']);

/** Parses a macro-string or explain-string (RFC 7208 section 7.1) in linear time. */
export function parseMacroString(text: string, use: MacroUse = 'term'): ParsedMacroString {
  const pieces: (string | Macro | Escape)[] = [];
  const token = TOKENS[use];
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) {
      return { ok: false, problem: text[at] === '%' ? 'invalid-macro' : 'invalid-character', at };
    }
    const [piece, letter, digits = '', reverse = '', delimiters = ''] = match;
    if (letter === undefined) {
      const value = ESCAPES[piece];
      pieces.push(value === undefined ? piece : { text: piece, value });
      continue;
    }
    const lower = letter.toLowerCase();
    if (use === 'term' && EXPLANATION_LETTERS.has(lower))
      return { ok: false, problem: 'explanation-macro', at };
    const keep = digits === '' ? Number.POSITIVE_INFINITY : Number(digits);
    if (keep === 0) return { ok: false, problem: 'invalid-macro', at };
    pieces.push({
      text: piece,
      letter: lower as MacroLetter,
      keep,
      reverse: reverse !== '',
      delimiters,
      escaped: letter !== lower,
    });
  }
  return { ok: true, value: { text, pieces } };
}

/** The letters that a macro-string uses. */
export function macroLetters({ pieces }: MacroString): Set<MacroLetter> {
  return new Set(
    pieces.flatMap((piece) => (typeof piece !== 'string' && 'letter' in piece ? [piece.letter] : [])),
  );
}

/** Expands a macro-string. `value` returns the value of each letter before transformers are applied. */
export function expandMacros({ pieces }: MacroString, value: (letter: MacroLetter) => string): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else text += 'letter' in piece ? transform(piece, value(piece.letter)) : piece.value;
  }
  return text;
}

/**
 * The end of the names that a macro-string expands to, whatever the message: the labels after its last macro that depends on one.
 * Undefined if there are none. `value` returns the values that do not, for `%{d}` and `%{o}`.
 */
export function fixedSuffix(text: MacroString, value: (letter: 'd' | 'o') => string): string | undefined {
  // No name in DNS has a percent sign.
  const name = expandMacros(text, (letter) => (letter === 'd' || letter === 'o' ? value(letter) : '%'));
  const end = name.slice(name.lastIndexOf('%') + 1);
  const suffix = end.length === name.length ? end : end.slice(end.indexOf('.') + 1);
  return end.includes('.') && suffix !== '' ? suffix : undefined;
}

/** The data of one message and its connection for macros (RFC 7208 section 7.2). */
export interface MacroMessage {
  readonly client: IpAddress;
  readonly localPart: string;
  readonly senderDomain: string;
  readonly helo: string;
  /** Name of the evaluating host, for `%{r}`. */
  readonly receiver: string;
  readonly now: Date;
}

/** The value of a letter for a message in the record of `domain`; `validatedName` is the client name for `%{p}`. */
export function macroValue(
  letter: MacroLetter,
  domain: string,
  message: MacroMessage,
  validatedName: string,
): string {
  switch (letter) {
    case 's':
      return `${message.localPart}@${message.senderDomain}`;
    case 'l':
      return message.localPart;
    case 'o':
      return message.senderDomain;
    case 'd':
      return domain;
    case 'i':
      return addressLabels(message.client).join('.');
    case 'p':
      return validatedName;
    case 'v':
      return message.client.family === 4 ? 'in-addr' : 'ip6';
    case 'h':
      return message.helo;
    case 'c':
      return formatIp(message.client);
    case 'r':
      return message.receiver;
    case 't':
      return String(Math.floor(message.now.getTime() / 1000));
  }
}

function transform({ keep, reverse, delimiters, escaped }: Macro, text: string): string {
  const parts = splitAt(text, delimiters === '' ? '.' : delimiters);
  const result = (reverse ? parts.toReversed() : parts).slice(-keep).join('.');
  return escaped ? urlEscape(result) : result;
}

function splitAt(value: string, delimiters: string): string[] {
  const parts = [''];
  for (const character of value) {
    if (delimiters.includes(character)) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** Escapes everything except the unreserved characters of RFC 3986 section 2.3, as UTF-8. */
function urlEscape(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
