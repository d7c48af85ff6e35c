/**
 * Rate limits that are cheap enough for every request: one item per limit and caller, one conditional write per pass.
 */
import * as z from 'zod/mini';
import { allOf, changing, having } from '../changes.ts';
import { ABSENT, type Change, type ItemStore, type Read } from '../items.ts';
import { slidingRateKey } from '../keys.ts';

/** What is left of a limit: passes, and the time until there is another one. */
export interface Quota {
  readonly remaining: number;
  readonly resetMilliseconds: number;
}

/** `retryAfterMilliseconds`: when the caller's next request can pass. */
export type RateDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterMilliseconds: number };

export type RateStore = ReturnType<typeof rateStore>;

/** The number of passes allowed in any window of this length. */
export interface Rate {
  readonly limit: number;
  readonly windowMilliseconds: number;
}

/** The read of the passes of a caller, for `passesIn` and `consume`. */
export const readOfRate = (what: string, who: string): Read<StoredWindow> => ({
  key: slidingRateKey(what, who),
  schema: storedWindow,
});

/** How many requests `consume` let pass in the window that ends now. */
export const passesIn = (
  stored: StoredWindow | undefined,
  { windowMilliseconds }: Pick<Rate, 'windowMilliseconds'>,
  now: Date,
): number => windowAt(now, windowMilliseconds, stored).passes;

/** A request to count. */
export interface Pass {
  /** The item that `readOfRate` found, which saves a read. */
  readonly known?: { readonly stored: StoredWindow | undefined };
  /** How many requests it stands for; 1 by default. */
  readonly weight?: number;
}

/** How often a decision is repeated after a concurrent request of the same caller. */
export const ATTEMPTS = 10;

/** If this many concurrent requests compete, the caller sends too many. */
export const tooManyAtOnce: RateDecision = { allowed: false, retryAfterMilliseconds: 1000 };

export function rateStore(table: Pick<ItemStore, 'get' | 'updateAndGet'>) {
  return {
    /**
     * Costs half a read unit, and one write if the request passes; only the write if this process let another request
     * of the caller pass in the same step of the window. Rejected requests are not counted, so retrying does not
     * prolong the wait. The window slides in 60 steps, which bounds the error of the limit. A `limit` of 0 disables it.
     */
    async consume(
      what: string,
      who: string,
      rate: Rate,
      now: Date,
      { known, weight = 1 }: Pass = {},
    ): Promise<RateDecision & { readonly quota?: Quota }> {
      const { limit, windowMilliseconds } = rate;
      if (limit === 0) return { allowed: true };
      const key = slidingRateKey(what, who);
      const recent = recentWindows.get(key.pk);
      const isUsable =
        recent !== undefined && windowAt(now, windowMilliseconds, recent).isCurrent && recent.passes < limit;
      const first = known ?? (isUsable ? { stored: recent } : undefined);
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        // An eventually consistent read can miss passes but never invents one, so a rejection based on it is correct.
        const isKnown = attempt === 1 && first !== undefined;
        const stored = isKnown
          ? first.stored
          : await table.get(key, storedWindow, { isConsistent: attempt > 1 });
        const window = windowAt(now, windowMilliseconds, stored);
        if (window.passes >= limit) return { allowed: false, retryAfterMilliseconds: window.waitFor(limit) };
        // The condition of the write holds only if what was read before still decides the same.
        const changed = await table.updateAndGet(key, window.more(weight, limit), storedWindow);
        if (changed !== undefined) {
          remember(key.pk, changed);
          const { passes, waitFor } = windowAt(now, windowMilliseconds, changed);
          return {
            allowed: true,
            quota: { remaining: Math.max(0, limit - passes), resetMilliseconds: waitFor(passes) },
          };
        }
      }
      return tooManyAtOnce;
    },
  };
}

/** The windows after the last passes in this process, by partition key. */
const recentWindows = new Map<string, StoredWindow>();

/** Above this number of callers, the process starts again to remember them. */
const MAX_RECENT = 10_000;

function remember(caller: string, window: StoredWindow): void {
  if (recentWindows.size >= MAX_RECENT) recentWindows.clear();
  recentWindows.set(caller, window);
}

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

/**
 * A sliding window of 60 parts in one small item: `part` is the number of the newest part, `passes` the total, and `p0` to
 * `p59` a ring buffer of the passes in each part.
 */
const storedWindow = z.object(shape);

type StoredWindow = Readonly<z.infer<typeof storedWindow>>;

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
function windowAt(now: Date, windowMilliseconds: number, stored: StoredWindow | undefined): SlidingWindow {
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
  const gone = begun.reduce((sum, place) => sum + (places[place] ?? 0), 0);
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
      const replaced = left.includes(here) ? places[here] : undefined;
      const emptied = left.filter((place) => place !== here).map((place) => [place, undefined]);
      const expiresAt = Math.ceil((now.getTime() + windowMilliseconds) / 1000) + 1;
      const isBelow = {
        ConditionExpression: 'passes < :most',
        ExpressionAttributeValues: { ':most': limit + gone },
      };
      return changing(
        { part, expiresAt, ...Object.fromEntries(emptied) },
        stored === undefined ? ABSENT : allOf(having({ part: last }), isBelow),
        { passes: passes - gone, [here]: passes - (replaced ?? 0) },
      );
    },
  };
}
