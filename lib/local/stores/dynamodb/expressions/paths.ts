/** Document paths: reads, writes and removes the values at paths without changing the given item. */
import { isDeepStrictEqual } from 'node:util';
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

/** Throws if two paths of an expression are equal or one contains the other. */
export function refuseOverlaps(what: string, paths: readonly Path[]): void {
  paths.forEach((one, index) => {
    const two = paths.slice(0, index).find((other) => {
      const shorter = Math.min(one.length, other.length);
      return isDeepStrictEqual(one.slice(0, shorter), other.slice(0, shorter));
    });
    if (two === undefined) return;
    throw new InvalidRequest(
      `Invalid ${what}: Two document paths overlap with each other; ` +
        `must remove or rewrite one of these paths; path one: ${display(two)}, path two: ${display(one)}`,
    );
  });
}

export function valueAt(item: Item, path: Path): AttributeValue | undefined {
  let value: AttributeValue | undefined = { M: item };
  for (const step of path) value = value && memberOf(value, step);
  return value;
}

/** The parts of an item at the given paths. */
export function project(item: Item, paths: readonly Path[]): Item {
  const selected = select({ M: item }, paths);
  return selected && 'M' in selected ? selected.M : {};
}

function select(value: AttributeValue, paths: readonly Path[]): AttributeValue | undefined {
  if (paths.some((path) => path.length === 0)) return value;
  const below = Map.groupBy(paths, ([step]) => step ?? '');
  const found = [...below].flatMap(([step, inner]): [string, AttributeValue][] => {
    const member = memberOf(value, step);
    const part =
      member &&
      select(
        member,
        inner.map((path) => path.slice(1)),
      );
    return part ? [[step, part]] : [];
  });
  return found.length === 0 ? undefined : { M: Object.fromEntries(found) };
}

function memberOf(value: AttributeValue, step: string): AttributeValue | undefined {
  return 'M' in value ? attribute(value.M, step) : undefined;
}

/** Sets the value at the path, or removes it if it is undefined. All but the last element must exist. */
export function withValueAt(item: Item, [step = '', ...rest]: Path, value: AttributeValue | undefined): Item {
  const next = rest.length === 0 ? value : inside(attribute(item, step), rest, value);
  if (next !== undefined) return { ...item, [step]: next };
  const { [step]: _removed, ...others } = item;
  return others;
}

function inside(
  container: AttributeValue | undefined,
  path: Path,
  value: AttributeValue | undefined,
): AttributeValue {
  if (container && 'M' in container) return { M: withValueAt(container.M, path, value) };
  throw new InvalidRequest('The document path provided in the update expression is invalid for update');
}

const display = (path: Path): string => `[${path.join(', ')}]`;
