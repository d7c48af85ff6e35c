/** SPF records: from text to typed terms (RFC 7208 sections 4.5, 4.6.1 and 12). */
import { type IpPrefix, parsePrefix } from '../ip.ts';
import { type MacroProblem, type MacroString, parseMacroString } from './macro.ts';

export type Qualifier = '+' | '-' | '~' | '?';

/** The result of each qualifier for a client that matches (RFC 7208 section 4.6.2). */
export const QUALIFIER_RESULTS = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
} as const satisfies Record<Qualifier, string>;

interface Position {
  /** As published. */
  readonly text: string;
  /** Offset in the record. */
  readonly at: number;
}

export interface All extends Position {
  readonly kind: 'all';
  readonly qualifier: Qualifier;
}

export interface Include extends Position {
  readonly kind: 'include';
  readonly qualifier: Qualifier;
  readonly domain: MacroString;
}

export interface Exists extends Position {
  readonly kind: 'exists';
  readonly qualifier: Qualifier;
  readonly domain: MacroString;
}

/** Mechanisms about hosts. Without a name, they refer to the domain of the record. */
export interface HostMechanism extends Position {
  readonly kind: 'a' | 'mx';
  readonly qualifier: Qualifier;
  readonly domain: MacroString | undefined;
  /** Prefix length for each address, by family. */
  readonly lengths: { readonly 4: number; readonly 6: number };
}

export interface Ptr extends Position {
  readonly kind: 'ptr';
  readonly qualifier: Qualifier;
  readonly domain: MacroString | undefined;
}

export interface NetworkMechanism extends Position {
  readonly kind: 'ip4' | 'ip6';
  readonly qualifier: Qualifier;
  readonly network: IpPrefix;
}

export type Mechanism = All | Include | Exists | HostMechanism | Ptr | NetworkMechanism;

export interface NamedModifier extends Position {
  readonly kind: 'redirect' | 'exp';
  readonly domain: MacroString;
}

/** A modifier that this version of SPF does not define. It is ignored (RFC 7208 section 6). */
interface UnknownModifier extends Position {
  readonly kind: 'unknown-modifier';
  readonly name: string;
  readonly value: MacroString;
}

export type SyntaxFault =
  | MacroProblem
  | 'malformed-term'
  | 'unknown-mechanism'
  | 'missing-domain'
  | 'unexpected-argument'
  | 'invalid-domain'
  | 'address-for-domain'
  | 'invalid-address'
  | 'invalid-prefix-length'
  | 'duplicate-modifier';

/** Text that is not a valid term. One such term makes the whole record a permerror (RFC 7208 section 4.6). */
interface InvalidTerm extends Position {
  readonly kind: 'invalid';
  readonly fault: SyntaxFault;
}

export type Term = Mechanism | NamedModifier | UnknownModifier | InvalidTerm;

export interface SpfRecord {
  readonly text: string;
  /** Every term in the order of the record. */
  readonly terms: readonly Term[];
  /** The same terms by their role in the evaluation. */
  readonly mechanisms: readonly Mechanism[];
  readonly redirect: NamedModifier | undefined;
  readonly exp: NamedModifier | undefined;
  readonly problems: readonly InvalidTerm[];
}

const VERSION = 'v=spf1';

/** Whether a TXT record is an SPF record: a space or the end of the text follows the version (RFC 7208 section 4.5). */
export function isSpfRecord(text: string): boolean {
  return (
    text.slice(0, VERSION.length).toLowerCase() === VERSION &&
    (text.length === VERSION.length || text[VERSION.length] === ' ')
  );
}

/** Whether a record lists senders, or says where they are listed; one that has only `all` does not. */
export const listsSenders = (record: string): boolean =>
  parseRecord(record).terms.some(({ kind }) => !['all', 'exp', 'unknown-modifier'].includes(kind));

/** Whether a TXT record was meant as an SPF record but is not: a quote or space before it, or a wrong separator. */
export function resemblesSpfRecord(text: string): boolean {
  return !isSpfRecord(text) && /^["'\s]{0,8}v\s{0,8}=\s{0,8}spf/i.test(text);
}

/** Parses a record for which `isSpfRecord` is true. Never fails: text that is not a term becomes an `invalid` term. */
export function parseRecord(text: string): SpfRecord {
  const terms: Term[] = [];
  const mechanisms: Mechanism[] = [];
  const problems: InvalidTerm[] = [];
  const modifiers: { redirect?: NamedModifier; exp?: NamedModifier } = {};
  let at = VERSION.length;
  for (const word of text.slice(VERSION.length).split(' ')) {
    if (word !== '') {
      const parsed = parseTerm(word, at);
      const repeated =
        (parsed.kind === 'redirect' || parsed.kind === 'exp') && modifiers[parsed.kind] !== undefined;
      const term: Term = repeated ? { kind: 'invalid', text: word, at, fault: 'duplicate-modifier' } : parsed;
      terms.push(term);
      if ('qualifier' in term) mechanisms.push(term);
      else if (term.kind === 'invalid') problems.push(term);
      else if (term.kind !== 'unknown-modifier') modifiers[term.kind] = term;
    }
    at += word.length + 1;
  }
  return { text, terms, mechanisms, redirect: modifiers.redirect, exp: modifiers.exp, problems };
}

function parseTerm(text: string, at: number): Term {
  // Report invisible characters, such as a tab or a no-break space, before the errors that they cause.
  if (/[^\x21-\x7e]/.test(text)) return { kind: 'invalid', text, at, fault: 'invalid-character' };
  const match = /^([+\-?~]?)([a-z][a-z0-9\-_.]*)/i.exec(text);
  if (match === null) return { kind: 'invalid', text, at, fault: 'malformed-term' };
  const [start, sign = '', name = ''] = match;
  const rest = text.slice(start.length);
  const read =
    rest.startsWith('=') && sign === ''
      ? parseModifier(name, rest.slice(1))
      : parseMechanism(name.toLowerCase(), rest, (sign === '' ? '+' : sign) as Qualifier);
  return typeof read === 'string' ? { kind: 'invalid', text, at, fault: read } : { ...read, text, at };
}

type Unplaced<T> = T extends Position ? Omit<T, keyof Position> : never;

function parseModifier(name: string, value: string): Unplaced<NamedModifier | UnknownModifier> | SyntaxFault {
  const kind = name.toLowerCase();
  if (kind === 'redirect' || kind === 'exp') {
    const domain = parseDomainSpec(value);
    return typeof domain === 'string' ? domain : { kind, domain };
  }
  const parsed = parseMacroString(value, 'explanation');
  return parsed.ok ? { kind: 'unknown-modifier', name, value: parsed.value } : parsed.problem;
}

function parseMechanism(kind: string, rest: string, qualifier: Qualifier): Unplaced<Mechanism> | SyntaxFault {
  switch (kind) {
    case 'all':
      return rest === '' ? { kind, qualifier } : 'unexpected-argument';
    case 'include':
    case 'exists': {
      const domain = parseArgument(rest);
      if (typeof domain === 'string') return domain;
      return domain === undefined ? 'missing-domain' : { kind, qualifier, domain };
    }
    case 'ptr': {
      const domain = parseArgument(rest);
      return typeof domain === 'string' ? domain : { kind, qualifier, domain };
    }
    case 'a':
    case 'mx': {
      // A name may contain a slash too, so the prefix lengths are whatever parses as such at the end.
      const cidr = /(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/.exec(rest);
      const domain = parseArgument(rest.slice(0, cidr?.index));
      if (typeof domain === 'string') return domain;
      const lengths = { 4: Number(cidr?.[1] ?? 32), 6: Number(cidr?.[2] ?? 128) };
      if (lengths[4] > 32 || lengths[6] > 128) return 'invalid-prefix-length';
      return { kind, qualifier, domain, lengths };
    }
    case 'ip4':
    case 'ip6': {
      const network = rest.startsWith(':') ? parsePrefix(rest.slice(1)) : undefined;
      return network?.family === (kind === 'ip4' ? 4 : 6) ? { kind, qualifier, network } : 'invalid-address';
    }
    default:
      return 'unknown-mechanism';
  }
}

/** Parses `:domain-spec`, or an empty text. */
function parseArgument(text: string): MacroString | undefined | SyntaxFault {
  if (text === '') return undefined;
  if (text.startsWith('/')) return 'invalid-prefix-length';
  return text.startsWith(':') ? parseDomainSpec(text.slice(1)) : 'malformed-term';
}

/** Parses a domain-spec: it ends with a macro, or with a dot and a label that is not numeric (RFC 7208 section 7.1). */
function parseDomainSpec(text: string): MacroString | SyntaxFault {
  if (text === '') return 'missing-domain';
  const parsed = parseMacroString(text);
  if (!parsed.ok) return parsed.problem;
  const tail = parsed.value.pieces.at(-1);
  if (typeof tail !== 'string') return parsed.value;
  const name = tail.endsWith('.') ? tail.slice(0, -1) : tail;
  const dot = name.lastIndexOf('.');
  const topLabel = name.slice(dot + 1);
  const valid = dot !== -1 && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(topLabel) && /[a-z-]/i.test(topLabel);
  if (valid) return parsed.value;
  return parsePrefix(text) === undefined ? 'invalid-domain' : 'address-for-domain';
}
