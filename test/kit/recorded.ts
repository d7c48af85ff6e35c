/**
 * Recordings: everything that a test gets, compared with what it got when it was recorded (`jest -u`). Read a recording as you
 * make it; it is only worth something if it is right.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';

const WIDTH = 140;

/** Expects what was recorded for the running test. `usual` has what is always the same, which is left out. Returns the value. */
export function recorded<Value>(value: Value, usual?: unknown): Value {
  expect(readable(usual === undefined ? value : unlike(value, usual))).toMatchSnapshot();
  return value;
}

/** What is different from `usual`, by the properties of objects; by the places of lists that are as long as before. */
export function unlike(value: unknown, usual: unknown): unknown {
  const isSameList = Array.isArray(value) && Array.isArray(usual) && value.length === usual.length;
  if (isSameList && value.every(isPlain)) return unlike({ ...value }, { ...usual });
  if (!isPlain(value) || !isPlain(usual)) return value;
  const names = new Set([...Object.keys(usual), ...Object.keys(value)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const [now, before] = [value[name], usual[name]];
      if (isDeepStrictEqual(now, before)) return [];
      return [[name, now === undefined ? 'none' : unlike(now, before)]];
    }),
  );
}

/** A value as lines for people, short ones in one line. */
export function readable(value: unknown): string {
  return linesOf(value).join('\n');
}

function linesOf(value: unknown): readonly string[] {
  if (typeof value === 'string' && value.includes('\n')) return ['|', ...indented(value.split('\n'))];
  const short = inOneLine(value);
  const listed = listOf(value);
  if (short.length <= WIDTH || isFinding(value)) return [short];
  if (listed !== undefined)
    return listed.flatMap((item) => {
      const [first = '', ...rest] = linesOf(item);
      return [`- ${first}`, ...indented(rest)];
    });
  if (!isPlain(value)) return [short];
  return Object.entries(value).flatMap(([name, item]) => {
    if (item === undefined) return [];
    const [first = '', ...rest] = linesOf(item);
    if (first === '|') return [`${name}: |`, ...rest];
    const isShort = rest.length === 0 && !first.startsWith('- ');
    return isShort ? [`${name}: ${first}`] : [`${name}:`, ...indented([first, ...rest])];
  });
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

function inOneLine(value: unknown): string {
  if (typeof value === 'string') return isWord(value) ? value : quoted(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'no date' : value.toISOString();
  if (value instanceof Uint8Array)
    return `${value.length} octets ${createHash('sha256').update(value).digest('hex').slice(0, 8)}`;
  const listed = listOf(value);
  if (listed !== undefined) {
    const items = listed.map(inOneLine);
    const isRepeated = items.length > 5 && new Set(items).size === 1;
    return isRepeated ? `[${items[0]} × ${items.length}]` : `[${items.join(', ')}]`;
  }
  if (!isPlain(value)) return String(value);
  if (isFinding(value)) {
    const { id, severity, subject: _, arguments: values, ...more } = value;
    return [severity, id, ...[values, more].map(inOneLine).filter((text) => text !== '{}')].join(' ');
  }
  const named = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${named.map(([name, item]) => `${name}: ${inOneLine(item)}`).join(', ')}}`;
}

/** Of long words, such as keys, the beginning and the end are enough. */
function quoted(text: string): string {
  const shown = text.replaceAll(
    /\S{160,}/g,
    (word) => `${word.slice(0, 40)}…${word.slice(-20)} (${word.length})`,
  );
  const escaped = JSON.stringify(shown);
  return shown.includes('"') && !shown.includes("'")
    ? `'${escaped.slice(1, -1).replaceAll('\\"', '"')}'`
    : escaped;
}

/** Needs no quotes: nobody takes it for a number, a list or two words. */
const isWord = (text: string): boolean =>
  /^[A-Za-z_/][\w.:/@*-]*$/.test(text) && !/^(?:true|false|null|undefined|NaN|Infinity)$/.test(text);

const listOf = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) || value instanceof Map || value instanceof Set ? [...value] : undefined;

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  listOf(value) === undefined &&
  !(value instanceof Date || value instanceof Uint8Array);

const isFinding = (value: unknown): value is Record<string, unknown> =>
  isPlain(value) && 'severity' in value && 'id' in value && 'arguments' in value;

/** What a function returns for each number of a range, in runs with the same result: a recording of its limits. */
export async function limits(
  [first, last]: readonly [number, number],
  of: (number: number) => unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const found: { from: number; to: number; text: string; result: unknown }[] = [];
  for (let number = first; number <= last; number += 1) {
    const result = await of(number);
    const text = inOneLine(result);
    const before = found.at(-1);
    if (before?.text === text) before.to = number;
    else found.push({ from: number, to: number, text, result });
  }
  return Object.fromEntries(found.map(({ from, to, result }) => [`${from} to ${to}`, result]));
}
