/**
 * Built-ins of ECMAScript 2024 that Node.js 20 lacks. The build puts these in their place: see `substitutes`.
 */

/** `Map.groupBy` */
export function mapGroupBy<K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> {
  const found = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    const group = found.get(key);
    if (group === undefined) found.set(key, [item]);
    else group.push(item);
    index += 1;
  }
  return found;
}

/** `Object.groupBy` */
export const objectGroupBy = <K extends PropertyKey, T>(
  items: Iterable<T>,
  keyOf: (item: T, index: number) => K,
): Partial<Record<K, T[]>> =>
  Object.assign(Object.create(null), Object.fromEntries(mapGroupBy(items, keyOf)));

/** `Promise.withResolvers` */
export function promiseWithResolvers<T>(): PromiseWithResolvers<T> {
  const made: Partial<PromiseWithResolvers<T>> = {};
  made.promise = new Promise<T>((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made as PromiseWithResolvers<T>;
}
