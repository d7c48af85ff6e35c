/** A window of time that slides by sixtieths, with how often something passed in each, in one small item. */

const PARTS = 60;

/** `part` was begun last, and `passes` is the sum over the parts, each of which has its place on a ring: `p0` to `p59`. */
export type StoredWindow = Readonly<Record<string, number>>;

export interface SlidingWindow {
  /** How often something passed in the window that ends now. */
  readonly passes: number;
  /** In how many milliseconds fewer than `limit` passes are within the window; 0 where that is so now. */
  waitFor(limit: number): number;
  /**
   * The update that counts a pass, on condition that there are fewer than `limit`. Passes of one part are added side by
   * side; of the requests that begin a part together one is written, and the others have to look again.
   */
  oneMore(limit: number): {
    readonly UpdateExpression: string;
    readonly ConditionExpression: string;
    readonly ExpressionAttributeValues: Readonly<Record<string, number>>;
  };
}

/** @param stored As it was written last; undefined where nothing is. */
export function windowAt(
  now: Date,
  windowMilliseconds: number,
  stored: StoredWindow | undefined,
): SlidingWindow {
  const milliseconds = windowMilliseconds / PARTS;
  const { part: last = 0, passes: counted = 0, ...places } = stored ?? {};
  const current = Math.floor(now.getTime() / milliseconds);
  // A clock ahead of ours may have begun a later part; one that was wrong by more than a window counts for nothing.
  const isWrong = last - current > PARTS;
  const part = isWrong ? current : Math.max(last, current);
  const passed = isWrong ? PARTS : Math.min(PARTS, part - last);
  const begun = Array.from({ length: passed }, (_, ago) => placeOf(part - ago));
  /** Places that still hold the passes of parts which have left the window. */
  const left = begun.filter((place) => places[place] !== undefined);
  const gone = left.reduce((sum, place) => sum + (places[place] ?? 0), 0);
  return {
    passes: counted - gone,

    waitFor(limit) {
      let rest = counted - gone;
      let oldest = part - PARTS;
      while (rest >= limit && oldest < part) {
        oldest += 1;
        if (!left.includes(placeOf(oldest))) rest -= places[placeOf(oldest)] ?? 0;
      }
      const wait = (oldest + PARTS) * milliseconds - now.getTime();
      return Math.min(Math.max(0, wait), windowMilliseconds);
    },

    oneMore(limit) {
      const here = placeOf(part);
      const emptied = left.filter((place) => place !== here);
      const remove = emptied.length === 0 ? '' : ` REMOVE ${emptied.join(', ')}`;
      return {
        UpdateExpression: `SET part = :part, expiresAt = :expiresAt ADD passes :passes, ${here} :here${remove}`,
        ConditionExpression:
          stored === undefined ? 'attribute_not_exists(pk)' : 'part = :last AND passes < :most',
        ExpressionAttributeValues: {
          ':part': part,
          ':expiresAt': Math.ceil((now.getTime() + windowMilliseconds) / 1000) + 1,
          ':passes': 1 - gone,
          ':here': 1 - (left.includes(here) ? (places[here] ?? 0) : 0),
          ...(stored && { ':last': last, ':most': limit + gone }),
        },
      };
    },
  };
}

const placeOf = (part: number): string => `p${part % PARTS}`;
