/** Exact rate limits for small numbers: one item per limit and caller. */

import * as z from 'zod/mini';
import { unchangedSince } from '../changes.ts';
import { rateKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { ATTEMPTS, type Rate, type RateDecision, tooManyAtOnce } from './rates.ts';

/** `passes` are the times of the last passes, in milliseconds since 1970. */
const rateItem = z.object({ revision: z.number(), passes: z.array(z.number()) });

export function exactRateStore(table: Table) {
  return {
    /**
     * A sliding window that is exact under concurrency: never more than `limit` passes in any `windowMilliseconds`. The
     * item holds the times of the last passes and is replaced only if it did not change.
     */
    async consumeExact(
      what: string,
      who: string,
      { limit, windowMilliseconds }: Rate,
      now: Date,
    ): Promise<RateDecision> {
      const key = rateKey(what, who);
      const time = now.getTime();
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const { revision, passes: stored } = (await table.get(key, rateItem)) ?? { revision: 0, passes: [] };
        // Ignores times that are more than a window ahead: the clock that wrote them was wrong.
        const passes = stored.filter((pass) => Math.abs(pass - time) < windowMilliseconds);
        if (passes.length >= limit) {
          // A pass by a clock that is ahead of ours counts as one at the present time.
          const oldest = Math.min(...passes, time);
          return { allowed: false, retryAfterMilliseconds: oldest + windowMilliseconds - time };
        }
        const next = {
          ...key,
          revision: revision + 1,
          passes: [...passes, time].sort((a, b) => a - b),
          expiresAt: Math.ceil((time + windowMilliseconds) / 1000) + 1,
        };
        if (await table.put(next, unchangedSince(revision))) return { allowed: true };
      }
      return tooManyAtOnce;
    },
  };
}
