/** Splits expressions into tokens. */
import { InvalidRequest } from '../errors.ts';

export type TokenKind = 'name' | 'placeholder' | 'value' | 'index' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** AWS, "Service, account, and table quotas": the maximum length of an expression. */
const MAX_OCTETS = 4096;

const TOKEN = /\s*(?:([A-Za-z]\w*)|(#\w+)|(:\w+)|(\d+)|(<>|<=|>=|[=<>(),.[\]+-]))/y;
const KINDS: readonly TokenKind[] = ['name', 'placeholder', 'value', 'index', 'symbol'];

/** Throws `InvalidRequest` for invalid characters; `what` is the parameter's name. */
export function tokensOf(what: string, expression: string): readonly Token[] {
  const text = expression.trimEnd();
  if (text === '') throw new InvalidRequest(`Invalid ${what}: The expression can not be empty;`);
  if (Buffer.byteLength(text) > MAX_OCTETS) {
    throw new InvalidRequest(`Invalid ${what}: Expression size has exceeded the maximum allowed size;`);
  }
  const tokens: Token[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length; ) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    const group = match?.slice(1).findIndex((found) => found !== undefined) ?? -1;
    const kind = KINDS[group];
    if (match === null || kind === undefined) {
      throw syntaxError(what, text.slice(start).trimStart().slice(0, 1), text);
    }
    tokens.push({ kind, text: match[group + 1] ?? '' });
  }
  return [...tokens, { kind: 'end', text: '<EOF>' }];
}

export const syntaxError = (what: string, token: string, near: string): InvalidRequest =>
  new InvalidRequest(`Invalid ${what}: Syntax error; token: "${token}", near: "${near}"`);
