/**
 * Times that a wrong clock wrote. A clock that was ahead leaves due times and leases that are further ahead than any
 * right clock could have set them; they count as due and as over.
 */

/** By how much the clocks of several hosts may differ. */
const TOLERANCE_MILLISECONDS = 60_000;

/** The last time, in ISO form, that a right clock can have set for something that waits at most this long. */
export const latestTime = (now: Date, longestMilliseconds = 0): string =>
  new Date(now.getTime() + longestMilliseconds + TOLERANCE_MILLISECONDS).toISOString();

/** Whether a wrong clock wrote a time: that of an event, or of the end of something that waits at most this long. */
export const isFromWrongClock = (time: string, now: Date, longestMilliseconds = 0): boolean =>
  time > latestTime(now, longestMilliseconds);
