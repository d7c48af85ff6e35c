/** Writes that compete with other writes of the same item. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Other writes of the same item kept this one from succeeding. Nothing was written; it can be repeated later. */
export class Contended extends Error {
  override readonly name = 'Contended';

  constructor(options?: ErrorOptions) {
    super('other changes of the same item came first, each time that the write was attempted', options);
  }
}

/** How often a write is attempted; with the delays between attempts, it takes a second on average. */
export const ATTEMPTS = 8;

/** A random delay before an attempt, which grows with each attempt. */
export const pauseBefore = (attempt: number): Promise<void> => sleep(Math.random() * 10 * 2 ** (attempt - 1));

/**
 * Repeats an attempt, which reads an item and changes it if it did not change meanwhile, until it returns a value.
 * @throws Contended if it returned undefined each time, and what the attempt throws.
 */
export async function untilUncontended<Value>(attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (let count = 1; count <= ATTEMPTS; count += 1) {
    if (count > 1) await pauseBefore(count);
    const value = await attempt();
    if (value !== undefined) return value;
  }
  throw new Contended();
}
