/** A sliding window of 60 parts with the number of passes in each, stored in one small item. */

import * as z from 'zod/mini';
import { allOf, changing, having } from '../changes.ts';
import { ABSENT, type Change } from '../items.ts';

const PARTS = 60;

type Place = `p${number}`;

const bucketOf = (part: number): Place => `p${part % PARTS}`;

const places: Readonly<Record<Place, z.ZodMiniOptional<z.ZodMiniNumber>>> = Object.fromEntries(
  Array.from({ length: PARTS }, (_, part) => [bucketOf(part), z.optional(z.number())]),
);

const shape: typeof places & Readonly<Record<'part' | 'passes', z.ZodMiniNumber>> = {
  part: z.number(),
  passes: z.number(),
  ...places,
};

/** `part` is the number of the newest part, `passes` the total, and `p0` to `p59` a ring buffer of the parts. */
export const storedWindow = z.object(shape);

export type StoredWindow = Readonly<z.infer<typeof storedWindow>>;

interface SlidingWindow {
  /** The number of passes in the window that ends now. */
  readonly passes: number;
  /** Whether its newest part is the present one. */
  readonly isCurrent: boolean;
  /** Milliseconds until fewer than `limit` passes are in the window; 0 if that is so now. */
  waitFor(limit: number): number;
  /**
   * The update that counts passes, on condition that there are fewer than `limit`. Concurrent passes in the same part
   * all succeed. When a new part starts, one concurrent update succeeds and the others must read again.
   */
  more(passes: number, limit: number): Change;
}

/** @param stored The stored window; undefined if there is none. */
export function windowAt(
  now: Date,
  windowMilliseconds: number,
  stored: StoredWindow | undefined,
): SlidingWindow {
  const milliseconds = windowMilliseconds / PARTS;
  const { part: last = 0, passes: counted = 0, ...places }: Partial<StoredWindow> = stored ?? {};
  const current = Math.floor(now.getTime() / milliseconds);
  // Another host's clock may be ahead and have started a later part. If it is ahead by more than a window, it was wrong
  // and is ignored.
  const isWrong = last - current > PARTS;
  const part = isWrong ? current : Math.max(last, current);
  const passed = isWrong ? PARTS : Math.min(PARTS, part - last);
  const begun = Array.from({ length: passed }, (_, ago) => bucketOf(part - ago));
  /** Ring positions that still hold passes of parts that left the window. */
  const left = begun.filter((place) => places[place] !== undefined);
  const gone = left.reduce((sum, place) => sum + (places[place] ?? 0), 0);
  return {
    passes: counted - gone,
    isCurrent: last === current,

    waitFor(limit) {
      let rest = counted - gone;
      let oldest = part - PARTS;
      while (rest >= limit && oldest < part) {
        oldest += 1;
        if (!left.includes(bucketOf(oldest))) rest -= places[bucketOf(oldest)] ?? 0;
      }
      const wait = (oldest + PARTS) * milliseconds - now.getTime();
      return Math.min(Math.max(0, wait), windowMilliseconds);
    },

    more(passes, limit) {
      const here = bucketOf(part);
      const emptied = left.filter((place) => place !== here).map((place) => [place, undefined]);
      const expiresAt = Math.ceil((now.getTime() + windowMilliseconds) / 1000) + 1;
      const isBelow = {
        ConditionExpression: 'passes < :most',
        ExpressionAttributeValues: { ':most': limit + gone },
      };
      return changing(
        { part, expiresAt, ...Object.fromEntries(emptied) },
        stored === undefined ? ABSENT : allOf(having({ part: last }), isBelow),
        { passes: passes - gone, [here]: passes - (left.includes(here) ? (places[here] ?? 0) : 0) },
      );
    },
  };
}
