/** Fields of an input that its schema does not have: mostly misspelled ones, which would silently do nothing. */
import type * as z from 'zod/mini';
import type { ErrorDetail } from './error-table.ts';

/** Of more, only the first are named, which bounds what a request costs. */
const MOST_NAMED = 20;

/** A problem for each of them, by its path in the input. Objects that allow more fields have none. */
export function unknownFields(schema: z.core.$ZodType, given: unknown): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  for (const { path, known } of unknownIn(schema, given, [])) {
    problems.push({ path: path.join('.'), message: messageFor(path.at(-1) ?? '', known) });
    if (problems.length === MOST_NAMED) break;
  }
  return problems;
}

interface UnknownField {
  readonly path: readonly string[];
  /** The names that the schema has beside it. */
  readonly known: readonly string[];
}

function* unknownIn(
  schema: z.core.$ZodType,
  given: unknown,
  path: readonly string[],
): Generator<UnknownField, void, undefined> {
  const { def } = schema._zod;
  if (def.type === 'array') {
    const { element } = def as z.core.$ZodArrayDef;
    if (Array.isArray(given))
      for (const [at, one] of given.entries()) yield* unknownIn(element, one, [...path, String(at)]);
  } else if (def.type === 'pipe') yield* unknownIn((def as z.core.$ZodPipeDef).in, given, path);
  else if ('innerType' in def) yield* unknownIn(def.innerType as z.core.$ZodType, given, path);
  else if (def.type === 'object' && typeof given === 'object' && given !== null) {
    const { shape, catchall } = def as z.core.$ZodObjectDef;
    for (const [name, value] of Object.entries(given)) {
      const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (known !== undefined) yield* unknownIn(known, value, [...path, name]);
      else if (catchall === undefined) yield { path: [...path, name], known: Object.keys(shape) };
    }
  }
}

/** Shorter ones are the beginning of too much. */
const MIN_BEGINNING = 3;

/** Longer names are not compared. */
const MAX_COMPARED = 40;

function messageFor(name: string, known: readonly string[]): string {
  const near = name.length > MAX_COMPARED ? [] : known.map((one) => ({ one, distance: distance(name, one) }));
  const [nearest] = near.toSorted((a, b) => a.distance - b.distance);
  const isNear = nearest !== undefined && nearest.distance <= Math.ceil(nearest.one.length / 3);
  const meant = isNear ? nearest.one : known.find((one) => beginsWith(one, name));
  if (meant !== undefined) return `is not known; did you mean ${meant}?`;
  return known.length === 0
    ? 'is not known; none is known here'
    : `is not known; known are ${known.join(', ')}`;
}

/** A name that is cut short: `start` for `startDate`. */
const beginsWith = (one: string, name: string): boolean =>
  name.length >= MIN_BEGINNING && one.toLowerCase().startsWith(name.toLowerCase());

/** How many letters have to be inserted, removed or replaced (Levenshtein), in any case. */
function distance(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...a].entries()) {
    const line = [row + 1];
    for (let at = 1; at <= b.length; at += 1)
      line.push(
        Math.min(
          (above[at] ?? 0) + 1,
          (line[at - 1] ?? 0) + 1,
          (above[at - 1] ?? 0) + (letter === b[at - 1] ? 0 : 1),
        ),
      );
    above = line;
  }
  return above[b.length] ?? 0;
}
