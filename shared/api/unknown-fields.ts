/** Fields of an input that its schema does not have: mostly misspelled ones, which would silently do nothing. */
import type * as z from 'zod/mini';
import type { ErrorDetail } from './error-table.ts';

/** A problem for each of them, by its path in the input. Objects that allow more fields have none. */
export function unknownFields(schema: z.core.$ZodType, given: unknown): ErrorDetail[] {
  const { def } = schema._zod;
  if (def.type === 'array') {
    const { element } = def as z.core.$ZodArrayDef;
    return Array.isArray(given)
      ? given.flatMap((one, at) => within(String(at), unknownFields(element, one)))
      : [];
  }
  if (def.type === 'pipe') return unknownFields((def as z.core.$ZodPipeDef).in, given);
  if ('innerType' in def) return unknownFields(def.innerType as z.core.$ZodType, given);
  if (def.type !== 'object' || typeof given !== 'object' || given === null) return [];
  const { shape, catchall } = def as z.core.$ZodObjectDef;
  return Object.entries(given).flatMap(([name, value]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (known !== undefined) return within(name, unknownFields(known, value));
    return catchall === undefined ? [{ path: name, message: messageFor(name, Object.keys(shape)) }] : [];
  });
}

const within = (name: string, problems: readonly ErrorDetail[]): ErrorDetail[] =>
  problems.map(({ path, message }) => ({ path: `${name}.${path}`, message }));

/** Longer names are not compared, which bounds what a request costs. */
const MAX_COMPARED = 40;

function messageFor(name: string, known: readonly string[]): string {
  const near = name.length > MAX_COMPARED ? [] : known.map((one) => ({ one, distance: distance(name, one) }));
  const [nearest] = near.toSorted((a, b) => a.distance - b.distance);
  const isNear = nearest !== undefined && nearest.distance <= Math.ceil(nearest.one.length / 3);
  if (isNear) return `is not known; did you mean ${nearest.one}?`;
  return known.length === 0 ? 'is not known; there are none' : `is not known; there are ${known.join(', ')}`;
}

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
