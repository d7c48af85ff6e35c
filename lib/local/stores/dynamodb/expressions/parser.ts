/** What all expression parsers share: the position in the tokens, document paths and placeholders. */
import { type AttributeValue, parseValue } from '../attribute-value.ts';
import { InvalidRequest, notOffered } from '../errors.ts';
import { isReservedWord } from './reserved-words.ts';
import type { Operand, Path } from './syntax.ts';
import { syntaxError, type Token, type TokenKind, tokensOf } from './tokens.ts';

/** AWS, "Service, account, and table quotas": the operators and functions of an expression. */
const MAX_OPERATORS = 300;

/** The `ExpressionAttributeNames` and `-Values` of a request. Records which ones are used, because all must be. */
export class Placeholders {
  readonly #names: ReadonlyMap<string, string>;
  readonly #values: ReadonlyMap<string, AttributeValue>;
  readonly #used = new Set<string>();
  /** The attributes that the request's expressions refer to a part of. */
  readonly divided = new Set<string>();

  /** Throws `InvalidRequest` if a placeholder or a value is malformed. */
  constructor(names?: Readonly<Record<string, string>>, values?: Readonly<Record<string, unknown>>) {
    if (names) refuseMalformed('ExpressionAttributeNames', Object.keys(names), /^#\w+$/);
    if (values) refuseMalformed('ExpressionAttributeValues', Object.keys(values), /^:\w+$/);
    this.#names = new Map(Object.entries(names ?? {}));
    this.#values = new Map(Object.entries(values ?? {}).map(([key, value]) => [key, parseValue(value)]));
  }

  name(what: string, placeholder: string): string {
    return this.#use(what, 'name', placeholder, this.#names.get(placeholder));
  }

  value(what: string, placeholder: string): AttributeValue {
    return this.#use(what, 'value', placeholder, this.#values.get(placeholder));
  }

  /** Call this after all expressions of the request are parsed. */
  refuseUnused(): void {
    const refuse = (parameter: string, keys: Iterable<string>): void => {
      const unused = [...keys].filter((key) => !this.#used.has(key));
      if (unused.length > 0) {
        throw new InvalidRequest(
          `Value provided in ${parameter} unused in expressions: keys: {${unused.join(', ')}}`,
        );
      }
    };
    refuse('ExpressionAttributeNames', this.#names.keys());
    refuse('ExpressionAttributeValues', this.#values.keys());
  }

  #use<Meaning>(
    what: string,
    kind: 'name' | 'value',
    placeholder: string,
    meaning: Meaning | undefined,
  ): Meaning {
    if (meaning === undefined) {
      throw new InvalidRequest(
        `Invalid ${what}: An expression attribute ${kind} used in ${kind === 'name' ? 'the document path' : 'expression'} is not defined; attribute ${kind}: ${placeholder}`,
      );
    }
    this.#used.add(placeholder);
    return meaning;
  }
}

/** Reads the tokens of one expression; `what` is the parameter's name, for messages. */
export class Parser {
  readonly what: string;
  readonly placeholders: Placeholders;
  readonly #tokens: readonly Token[];
  #at = 0;
  #operators = 0;

  constructor(what: string, expression: string, placeholders: Placeholders) {
    this.what = what;
    this.placeholders = placeholders;
    this.#tokens = tokensOf(what, expression);
  }

  /** The token `ahead` positions after the next one; the end token if there are no more. */
  peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? { kind: 'end', text: '<EOF>' };
  }

  take(): Token {
    const token = this.peek();
    this.#at += 1;
    return token;
  }

  /** Consumes the next token if it is this symbol, or this keyword in any case. */
  accept(text: string): boolean {
    const { kind, text: found } = this.peek();
    const matches = kind === 'name' ? found.toUpperCase() === text : kind === 'symbol' && found === text;
    if (matches) this.#at += 1;
    return matches;
  }

  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected();
  }

  /** One or more members, separated by commas. */
  list<Member>(member: () => Member): readonly Member[] {
    const members = [member()];
    while (this.accept(',')) members.push(member());
    return members;
  }

  /** Parses the whole expression; nothing may follow. */
  whole<Meaning>(meaning: () => Meaning): Meaning {
    const result = meaning();
    if (this.peek().kind !== 'end') throw this.unexpected();
    return result;
  }

  /** Counts an operator or a function. */
  countOperator(): void {
    this.#operators += 1;
    if (this.#operators <= MAX_OPERATORS) return;
    throw this.refuse(`The expression contains too many operators; operator count: ${this.#operators}`);
  }

  path(): Path {
    const name = this.#attributeName();
    const path = [name];
    while (this.accept('.')) path.push(this.#attributeName());
    if (this.accept('[')) throw notOffered('positions of lists in expressions');
    if (path.length > 1) this.placeholders.divided.add(name);
    return path;
  }

  operand(): Operand {
    if (this.peek().kind === 'value') return { kind: 'value', value: this.value() };
    if (this.isCall()) throw notOffered(`the function ${this.peek().text} as an operand`);
    return { kind: 'path', path: this.path() };
  }

  /** Whether a function is next. */
  isCall(): boolean {
    return this.peek().kind === 'name' && this.peek(1).kind === 'symbol' && this.peek(1).text === '(';
  }

  value(): AttributeValue {
    return this.placeholders.value(this.what, this.#takeKind('value'));
  }

  refuse(reason: string): InvalidRequest {
    return new InvalidRequest(`Invalid ${this.what}: ${reason}`);
  }

  /** The error for an operand type that the operator or function does not accept. */
  refuseOperand(operator: string, type: string): InvalidRequest {
    return this.refuse(
      `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
    );
  }

  unexpected(): InvalidRequest {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2);
    return syntaxError(this.what, this.peek().text, near.map(({ text }) => text).join(' '));
  }

  #attributeName(): string {
    if (this.peek().kind === 'placeholder') return this.placeholders.name(this.what, this.take().text);
    const name = this.#takeKind('name');
    if (isReservedWord(name)) {
      throw this.refuse(`Attribute name is a reserved keyword; reserved keyword: ${name}`);
    }
    return name;
  }

  #takeKind(kind: TokenKind): string {
    if (this.peek().kind !== kind) throw this.unexpected();
    return this.take().text;
  }
}

function refuseMalformed(parameter: string, keys: readonly string[], form: RegExp): void {
  if (keys.length === 0) throw new InvalidRequest(`${parameter} must not be empty`);
  const malformed = keys.find((key) => !form.test(key));
  if (malformed !== undefined) {
    throw new InvalidRequest(`${parameter} contains invalid key: Syntax error; key: "${malformed}"`);
  }
}
