/**
 * Rate limits that are cheap enough for every request: one item per limit and caller, one conditional write per pass.
 */
import type { ItemStore, Read } from '../items.ts';
import { slidingRateKey } from '../keys.ts';
import { type StoredWindow, storedWindow, windowAt } from './sliding-window.ts';

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
