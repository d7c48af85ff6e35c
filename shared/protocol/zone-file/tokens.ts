/** Splits a zone file into entries and tokens (RFC 1035 section 5.1). */

export interface ZoneToken {
  /** The octets after unescaping, one character per octet. */
  readonly text: string;
  readonly quoted: boolean;
  /** Whether it contained a backslash. */
  readonly escaped: boolean;
}

export interface ZoneEntry {
  /** The line that it starts in, from 1. */
  readonly line: number;
  readonly tokens: readonly ZoneToken[];
  /** It starts with white space, so it continues the owner name of the entry before. */
  readonly continuesOwner: boolean;
  /** A comment `;remove <name> <type>`; the tokens are its arguments. */
  readonly isRemoval: boolean;
  /** Why the entry cannot be split. */
  readonly problem?: string;
}

/** One string, punctuation mark, run of white space or word. */
const LEXEME = /"(?:[^"\\\n]|\\[^\n])*"|[()]|\n|[ \t\r]+|;[^\n]*|(?:[^\s\\"();]|\\[^\n])+|["\\]|./gy;

/** Reads the entries in order. Linear in the length of `text`. */
export function* readEntries(text: string): Generator<ZoneEntry> {
  let line = 1;
  let start = 1;
  let depth = 0;
  let tokens: ZoneToken[] = [];
  let problem: string | undefined;
  let continuesOwner = false;
  let isAtStart = true;
  const octets = Buffer.from(text, 'utf8').toString('latin1');
  for (const [lexeme] of `${octets}\n`.matchAll(LEXEME)) {
    if (lexeme === '\n') {
      line += 1;
      if (depth > 0 && line - start < MAX_LINES) continue;
      if (depth > 0) problem ??= 'a parenthesis is not closed';
      if (tokens.length > 0 || problem !== undefined) yield entry();
      reset();
    } else if (lexeme.startsWith(';')) {
      const [directive, ...words] = lexeme.split(/[ \t\r]+/).filter((word) => word !== '');
      if (directive !== ';remove' || tokens.length > 0) continue;
      const removed = words.map((text) => ({ text, quoted: false, escaped: text.includes('\\') }));
      yield { line, tokens: removed, continuesOwner: false, isRemoval: true };
    } else if (/^[ \t\r]/.test(lexeme)) {
      if (isAtStart) continuesOwner = true;
    } else if (lexeme === '(') depth += 1;
    else if (lexeme === ')') depth -= 1;
    else if (lexeme === '"') problem ??= 'a quotation mark is not closed';
    else {
      if (!hasOctets(lexeme)) problem ??= 'an escape of three digits must be at most \\255';
      tokens.push(tokenOf(lexeme));
    }
    if (depth < 0) problem ??= 'a parenthesis is not opened';
    isAtStart = lexeme === '\n' && depth <= 0;
  }
  if (depth > 0) yield { ...entry(), problem: 'a parenthesis is not closed' };

  function entry(): ZoneEntry {
    return {
      line: start,
      tokens,
      continuesOwner,
      isRemoval: false,
      ...(problem === undefined ? {} : { problem }),
    };
  }

  function reset(): void {
    start = line;
    depth = 0;
    tokens = [];
    problem = undefined;
    continuesOwner = false;
  }
}

/** No record spans more lines. */
const MAX_LINES = 1000;

function tokenOf(lexeme: string): ZoneToken {
  const quoted = lexeme.startsWith('"');
  const content = quoted ? lexeme.slice(1, -1) : lexeme;
  return { text: unescaped(content), quoted, escaped: content.includes('\\') };
}

/** `\DDD` is the octet with that decimal value, and `\` before any other character is that character. */
const ESCAPE = /\\(?:(\d{3})|(.))/gs;

/** Whether each escape of three digits is an octet. */
const hasOctets = (text: string): boolean =>
  Array.from(text.matchAll(ESCAPE), ([, digits = '0']) => Number(digits)).every((value) => value <= 0xff);

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, digits, character) =>
    digits === undefined ? character : String.fromCharCode(Number(digits)),
  );
}
