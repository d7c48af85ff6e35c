/** Rate limits that are cheap enough for every request: one item per limit and caller, each pass one conditional write. */
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { slidingRateKey } from '../keys.ts';
import { conditionFailed, type Table } from '../table.ts';
import { windowAt } from './sliding-window.ts';

/** `retryAfter` is in milliseconds: when the next request of this caller can pass. */
export type RateDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfter: number };

export type RateStore = ReturnType<typeof rateStore>;

/** How much may pass in any window of that length. */
export interface Rate {
  readonly limit: number;
  readonly windowMilliseconds: number;
}

/** How often a decision is made anew when another request of the same caller came between. */
export const ATTEMPTS = 10;

/** So many requests at once that none of ours got through: that alone is too many. */
export const tooManyAtOnce: RateDecision = { allowed: false, retryAfter: 1000 };

export function rateStore(table: Table) {
  return {
    /**
     * Half a read, and one write where it passes. Only what passes is counted, so nobody waits longer for having tried.
     * The window slides by sixtieths, and the limit is exact to one of them. A `limit` of 0 is none.
     */
    async counted(what: string, who: string, rate: Rate, now: Date): Promise<RateDecision> {
      const { limit } = rate;
      if (limit === 0) return { allowed: true };
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        // What was read late holds too few passes and never too many, so that a refusal is right at the first look.
        const window = await readWindow(what, who, rate, now, { ConsistentRead: attempt > 1 });
        if (window.passes >= limit) return { allowed: false, retryAfter: window.waitFor(limit) };
        const Key = slidingRateKey(what, who);
        try {
          await table.client.send(
            new UpdateCommand({ TableName: table.name, Key, ...window.oneMore(limit) }),
          );
          return { allowed: true };
        } catch (error) {
          if (!conditionFailed(error)) throw error;
        }
      }
      return tooManyAtOnce;
    },

    /** Whether `limit` passed in the window that ends now, by `counted`; counts nothing itself. */
    async isSpent(what: string, who: string, rate: Rate, now: Date): Promise<boolean> {
      return rate.limit > 0 && (await readWindow(what, who, rate, now)).passes >= rate.limit;
    },
  };

  async function readWindow(
    what: string,
    who: string,
    { windowMilliseconds }: Rate,
    now: Date,
    how: { ConsistentRead?: boolean } = {},
  ) {
    const Key = slidingRateKey(what, who);
    const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key, ...how }));
    return windowAt(now, windowMilliseconds, Item);
  }
}
