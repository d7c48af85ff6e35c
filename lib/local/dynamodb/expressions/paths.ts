/** Document paths: reads, writes and removes the values at paths without changing the given item. */
import { type AttributeValue, attribute, type Item } from '../attribute-value.ts';
import { InvalidRequest } from '../errors.ts';
import { Parser, type Placeholders } from './parser.ts';
import type { Path } from './syntax.ts';

export function parseProjection(expression: string, placeholders: Placeholders): readonly Path[] {
  const what = 'ProjectionExpression';
  const parser = new Parser(what, expression, placeholders);
  const paths = parser.whole(() => parser.list(() => parser.path()));
  refuseOverlaps(what, paths);
  return paths;
}

/**
 * Throws if two paths of an expression are equal, one contains the other, or both use one place as different kinds.
 */
export function refuseOverlaps(what: string, paths: readonly Path[]): void {
  paths.forEach((one, index) => {
    for (const two of paths.slice(0, index)) {
      const shorter = Math.min(one.length, two.length);
      let common = 0;
      while (common < shorter && one[common] === two[common]) common += 1;
      const conflict = common < shorter && typeof one[common] !== typeof two[common];
      if (common < shorter && !conflict) continue;
      throw new InvalidRequest(
        `Invalid ${what}: Two document paths ${conflict ? 'conflict' : 'overlap'} with each other; ` +
          `must remove or rewrite one of these paths; path one: ${display(two)}, path two: ${display(one)}`,
      );
    }
  });
}

export function valueAt(item: Item, path: Path): AttributeValue | undefined {
  let value: AttributeValue | undefined = { M: item };
  for (const step of path) value = value && memberOf(value, step);
  return value;
}

/** Sets the value at the path; a position past the end of a list appends. All but the last element must exist. */
export const withValueAt = (item: Item, path: Path, value: AttributeValue): Item =>
  changed(item, path, value);

/** Removes the value at the path, if there is one. */
export const withoutValueAt = (item: Item, path: Path): Item => changed(item, path, undefined);

/** The parts of an item at the given paths; lists keep their order without gaps. */
export function project(item: Item, paths: readonly Path[]): Item {
  const selected = select({ M: item }, paths);
  return selected && 'M' in selected ? selected.M : {};
}

function select(value: AttributeValue, paths: readonly Path[]): AttributeValue | undefined {
  if (paths.some((path) => path.length === 0)) return value;
  const below = new Map<string | number, Path[]>();
  for (const [step, ...rest] of paths) {
    if (step !== undefined) below.set(step, [...(below.get(step) ?? []), rest]);
  }
  const found = [...below].flatMap(([step, rests]): [string | number, AttributeValue][] => {
    const member = memberOf(value, step);
    const part = member && select(member, rests);
    return part ? [[step, part]] : [];
  });
  if (found.length === 0) return undefined;
  if ('M' in value) return { M: Object.fromEntries(found) };
  return { L: found.sort(([one], [two]) => Number(one) - Number(two)).map(([, part]) => part) };
}

function memberOf(value: AttributeValue, step: string | number): AttributeValue | undefined {
  if (typeof step === 'number') return 'L' in value ? value.L[step] : undefined;
  return 'M' in value ? attribute(value.M, step) : undefined;
}

function changed(item: Item, [step, ...rest]: Path, value: AttributeValue | undefined): Item {
  const name = String(step);
  const next = rest.length === 0 ? value : inside(attribute(item, name), rest, value);
  if (next !== undefined) return { ...item, [name]: next };
  const { [name]: _removed, ...others } = item;
  return others;
}

function inside(
  container: AttributeValue | undefined,
  path: Path,
  value: AttributeValue | undefined,
): AttributeValue {
  const [step, ...rest] = path;
  if (container && 'M' in container && typeof step === 'string') {
    return { M: changed(container.M, path, value) };
  }
  if (container && 'L' in container && typeof step === 'number') {
    const next = rest.length === 0 ? value : inside(container.L[step], rest, value);
    if (next === undefined) return { L: container.L.toSpliced(step, 1) };
    return { L: step < container.L.length ? container.L.with(step, next) : [...container.L, next] };
  }
  throw new InvalidRequest('The document path provided in the update expression is invalid for update');
}

const display = (path: Path): string =>
  `[${path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`;
