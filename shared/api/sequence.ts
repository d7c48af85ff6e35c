/** Arrays in responses that are too large for memory. */

/** An array in a response whose elements are generated while it is written. */
export class Sequence<T> {
  readonly items: Iterable<T>;

  constructor(items: Iterable<T>) {
    this.items = items;
  }
}

/** A placeholder for an array that would be too large for memory; it can be written only once. */
export function sequence<T>(items: Iterable<T>): T[] {
  return new Sequence(items) as unknown as T[];
}
