/** What an operation changed, for the audit log: each field with its value before and after. Callers leave secrets out. */
import type { Change } from '../store/audit.ts';

/** In characters, of a value. */
const MAX_VALUE = 500;

/** In fields, of one entry. */
const MOST = 50;

/** How much of what did not change is shown before what did, where a value is too long to be shown. */
const CONTEXT = 50;

/**
 * The fields that differ, by their path, such as `mail.address`. A missing field and null are the same. Long values are shown from
 * shortly before where they differ.
 */
export function changesBetween(before: object | null, after: object | null): readonly Change[] {
  const [was, is] = [new Map(leaves(before ?? {})), new Map(leaves(after ?? {}))];
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((field) => ({ field, before: was.get(field) ?? null, after: is.get(field) ?? null }))
    .filter((one) => one.before !== one.after)
    .slice(0, MOST)
    .map((one) => {
      const from = Math.max(0, sameUntil(one.before ?? '', one.after ?? '') - CONTEXT);
      return { ...one, before: shown(one.before, from), after: shown(one.after, from) };
    });
}

/** How many characters both begin with. */
function sameUntil(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function shown(text: string | null, from: number): string | null {
  if (text === null || text.length <= MAX_VALUE) return text;
  const end = from + MAX_VALUE;
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`;
}

/** Every value in an object, with its path; a list is one value. */
function leaves(value: object, path = ''): readonly (readonly [string, string | null])[] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return isRecord(part) ? leaves(part, at) : [[at, textOf(part)] as const];
  });
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
