/**
 * Rate limits that are cheap enough for every request: one item per limit and caller, one conditional write per pass.
 */
import type { ItemStore } from '../items.ts';
import { slidingRateKey } from '../keys.ts';
import { storedWindow, windowAt } from './sliding-window.ts';

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

/** How often a decision is repeated after a concurrent request of the same caller. */
export const ATTEMPTS = 10;

/** If this many concurrent requests compete, the caller sends too many. */
export const tooManyAtOnce: RateDecision = { allowed: false, retryAfterMilliseconds: 1000 };

export function rateStore(table: Pick<ItemStore, 'get' | 'update'>) {
  return {
    /**
     * Costs half a read unit, and one write if the request passes. Rejected requests are not counted, so retrying does
     * not prolong the wait. The window slides in 60 steps, which bounds the error of the limit. A `limit` of 0 disables
     * it.
     */
    async consume(
      what: string,
      who: string,
      rate: Rate,
      now: Date,
    ): Promise<RateDecision & { readonly quota?: Quota }> {
      const { limit } = rate;
      if (limit === 0) return { allowed: true };
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        // An eventually consistent read can miss passes but never invents one, so a rejection based on it is correct.
        const window = await readWindow(what, who, rate, now, attempt > 1);
        if (window.passes >= limit) return { allowed: false, retryAfterMilliseconds: window.waitFor(limit) };
        if (await table.update(slidingRateKey(what, who), window.oneMore(limit))) {
          const { passes } = window;
          const resetMilliseconds = passes === 0 ? rate.windowMilliseconds : window.waitFor(passes);
          return { allowed: true, quota: { remaining: limit - passes - 1, resetMilliseconds } };
        }
      }
      return tooManyAtOnce;
    },

    /** Whether `consume` let `limit` requests pass in the window that ends now. Counts nothing. */
    async isExhausted(what: string, who: string, rate: Rate, now: Date): Promise<boolean> {
      return rate.limit > 0 && (await readWindow(what, who, rate, now, false)).passes >= rate.limit;
    },
  };

  async function readWindow(
    what: string,
    who: string,
    { windowMilliseconds }: Rate,
    now: Date,
    isConsistent: boolean,
  ) {
    const item = await table.get(slidingRateKey(what, who), storedWindow, { isConsistent });
    return windowAt(now, windowMilliseconds, item);
  }
}
