/**
 * Parses zone files (RFC 1035 section 5): `$ORIGIN`, `$TTL`, relative names, continuation in parentheses, quoted strings and
 * escapes. Never throws: whatever cannot be parsed is a problem with its line number.
 */
import { canonicalName, isWithin } from '../domain-name.ts';
import { excerpt } from '../findings/excerpt.ts';
import {
  isOrdinaryName,
  readValue,
  writeValue,
  type ZoneSet,
  type ZoneType,
  zoneTypes,
} from './record-set.ts';
import { readEntries, type ZoneEntry, type ZoneToken } from './tokens.ts';

interface ZoneProblem {
  /** The line of the record, from 1. */
  readonly line: number;
  /** What is wrong, without a final period. */
  readonly message: string;
}

type ParsedZone =
  | {
      readonly ok: true;
      /** In the order of their first records. A set that a `;remove` directive names has no values. */
      readonly sets: readonly ZoneSet[];
      /** Record sets of types that no check depends on, such as SOA, as `name type`. */
      readonly ignored: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly ZoneProblem[] };

/** In seconds: the TTL of records in a file that sets none. */
export const DEFAULT_TTL = 3600;

/** RFC 2181 section 8. */
const MAX_TTL = 2 ** 31 - 1;

/** Problems after these are not listed. */
const MAX_PROBLEMS = 20;

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Types that a zone file may contain and that no preview depends on. */
const isOtherType = (type: string): boolean =>
  /^(?:SOA|NS|CAA|SRV|PTR|SPF|DS|CDS|DNSKEY|CDNSKEY|RRSIG|NSEC|NSEC3|NSEC3PARAM|HTTPS|SVCB|SSHFP|NAPTR|LOC|HINFO|RP|CERT|SMIMEA|OPENPGPKEY|URI|AFSDB|DNAME|TYPE\d{1,5})$/.test(
    type,
  );

const isZoneType = (type: string): type is ZoneType => zoneTypes.some((known) => known === type);

interface State {
  origin: string;
  ttl: number | undefined;
  owner: string | undefined;
}

/**
 * Parses `text`. Names without a final dot are relative to `domain`, unless the file has an `$ORIGIN`. Names outside of
 * `domain`, and a CNAME record beside other data, are problems.
 */
export function parseZone(text: string, domain: string): ParsedZone {
  const problems: ZoneProblem[] = [];
  const sets = new Map<
    string,
    { name: string; type: string; ttl: number; values: Set<string>; line: number }
  >();
  const state: State = { origin: domain, ttl: undefined, owner: undefined };
  const setAt = (name: string, type: string, ttl: number, line: number) => {
    const key = `${name} ${type}`;
    const set = sets.get(key) ?? { name, type, ttl, values: new Set<string>(), line };
    sets.set(key, set);
    return set;
  };
  for (const entry of readEntries(text)) {
    const { line } = entry;
    const read = readEntry(entry, state, domain);
    if (typeof read === 'string') problems.push({ line, message: read });
    else if (read !== undefined) {
      const set = setAt(read.name, read.type, read.ttl, line);
      if (read.value !== undefined) set.values.add(read.value);
    }
    if (problems.length >= MAX_PROBLEMS) break;
  }
  const published = [...sets.values()].filter(({ values }) => values.size > 0);
  const withOtherData = new Set(published.filter(({ type }) => type !== 'CNAME').map(({ name }) => name));
  for (const { name, type, values, line } of published) {
    if (type === 'CNAME' && (withOtherData.has(name) || values.size > 1)) {
      problems.push({ line, message: `${excerpt(name)} has a CNAME record beside other data` });
    }
  }
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
  const isRead = ({ type }: { readonly type: string }) => isZoneType(type);
  return {
    ok: true,
    sets: [...sets.values()].flatMap(({ name, type, ttl, values }) =>
      isZoneType(type) ? [{ name, type, ttl, values: [...values] }] : [],
    ),
    ignored: [...sets.values()].filter((set) => !isRead(set)).map(({ name, type }) => `${name} ${type}`),
  };
}

interface ZoneRecord {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  /** Undefined for a directive that removes the set. */
  readonly value?: string;
}

/** The record of an entry; undefined for a directive that changes only `state`; a text is a problem. */
function readEntry(entry: ZoneEntry, state: State, domain: string): ZoneRecord | string | undefined {
  if (entry.problem !== undefined) return entry.problem;
  if (entry.isRemoval) return readRemoval(entry.tokens, state, domain);
  const [first, second] = entry.tokens;
  if (first === undefined) return undefined;
  if (first.text.startsWith('$') && !first.quoted) return readDirective(first, second, state);
  const [owner, rest] = entry.continuesOwner
    ? [state.owner, entry.tokens]
    : [nameOf(first, state.origin), entry.tokens.slice(1)];
  if (owner === undefined) return entry.continuesOwner ? 'the first record has no name' : invalidName(first);
  state.owner = owner;
  let ttl = state.ttl ?? DEFAULT_TTL;
  let at = 0;
  for (; at < 2; at += 1) {
    const word = rest[at]?.text ?? '';
    const seconds = readTtl(word);
    if (seconds !== undefined) ttl = seconds;
    else if (word.toUpperCase() !== 'IN') break;
  }
  const type = rest[at]?.text.toUpperCase() ?? '';
  if (isOtherType(type)) return inside(owner, domain) ?? { name: owner, type, ttl, value: '' };
  if (!isZoneType(type))
    return type === '' ? 'the record has no type' : `unknown type, class or TTL: ${excerpt(type)}`;
  const value = dataOf(type, rest.slice(at + 1), state.origin);
  if (value === undefined) return `invalid ${type} record`;
  return inside(owner, domain) ?? { name: owner, type, ttl, value };
}

function readRemoval(
  [name, type]: readonly ZoneToken[],
  { origin }: State,
  domain: string,
): ZoneRecord | string {
  const removed = name && nameOf(name, origin);
  const typed = type?.text.toUpperCase() ?? '';
  if (removed === undefined || !isZoneType(typed)) return 'a remove directive requires a name and a type';
  return inside(removed, domain) ?? { name: removed, type: typed, ttl: DEFAULT_TTL };
}

function readDirective(
  directive: ZoneToken,
  argument: ZoneToken | undefined,
  state: State,
): string | undefined {
  switch (directive.text.toUpperCase()) {
    case '$ORIGIN': {
      const origin = argument && nameOf(argument, state.origin);
      if (origin === undefined) return '$ORIGIN requires a name';
      state.origin = origin;
      return undefined;
    }
    case '$TTL': {
      const ttl = readTtl(argument?.text ?? '');
      if (ttl === undefined) return '$TTL requires a number of seconds';
      state.ttl = ttl;
      return undefined;
    }
    default:
      return `unsupported directive: ${excerpt(directive.text)}`;
  }
}

function inside(name: string, domain: string): string | undefined {
  return isWithin(name, domain) ? undefined : `${excerpt(name)} is outside of ${domain}`;
}

/** Undefined if it is not a name of letters, digits, hyphens and underscores. */
function nameOf({ text, quoted, escaped }: ZoneToken, origin: string): string | undefined {
  if (quoted || escaped) return undefined;
  if (text === '@') return origin;
  const name = canonicalName(text.endsWith('.') ? text : `${text}.${origin}`);
  return isOrdinaryName(name) ? name : undefined;
}

const invalidName = ({ text }: ZoneToken): string => `invalid name: ${excerpt(text)}`;

/** Seconds, or BIND's units: `1h30m`. */
function readTtl(word: string): number | undefined {
  if (!/^(?=\d)(?:\d{1,10}[smhdw])*(?:\d{1,10})?$/i.test(word)) return undefined;
  const parts = [...word.toLowerCase().matchAll(/(\d+)([smhdw]?)/g)];
  const seconds = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * (secondsOf[unit || 's'] ?? 1),
    0,
  );
  return seconds <= MAX_TTL ? seconds : undefined;
}

/** The value of a record, in the form of `writeValue`; undefined if the data is invalid. */
function dataOf(type: ZoneType, tokens: readonly ZoneToken[], origin: string): string | undefined {
  const [first, second, ...others] = tokens;
  if (first === undefined) return undefined;
  switch (type) {
    case 'TXT': {
      const octets = Buffer.from(tokens.map(({ text }) => text).join(''), 'latin1');
      return canonical(type, octets.toString('utf8'));
    }
    case 'CNAME': {
      const name = nameOf(first, origin);
      return second === undefined && name !== undefined ? canonical(type, name) : undefined;
    }
    case 'MX': {
      if (second === undefined || others.length > 0) return undefined;
      const exchange = second.text === '.' ? '.' : nameOf(second, origin);
      return exchange === undefined ? undefined : canonical(type, `${first.text} ${exchange}`);
    }
    case 'TLSA': {
      const numbers = tokens.slice(0, 3).map(({ text }) => text);
      const hex = tokens.slice(3).map(({ text }) => text);
      return canonical(type, `${numbers.join(' ')} ${hex.join('')}`);
    }
    default:
      return second === undefined ? canonical(type, first.text) : undefined;
  }
}

function canonical<T extends ZoneType>(type: T, value: string): string | undefined {
  const data = readValue(type, value);
  return data === undefined ? undefined : writeValue(type, data);
}
