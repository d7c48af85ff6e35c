/** When a domain is checked next. */
import { createHash } from 'node:crypto';

/** How much later than due a check may start, as a share of the interval, and still belong to its place in it. */
const PUNCTUAL_SHARE = 0.1;
const PUNCTUAL_MILLISECONDS = 120_000;

/** By how much of the interval a domain moves, each time, towards its own place in it. */
const DRIFT_SHARE = 0.1;

/** Second looks come within this, so that what is told is still new. */
const LONGEST_CONFIRMATION_SECONDS = 60;

/**
 * The time of the next check of a domain that was due at `dueAt` and is taken up at `now`: an interval later, moved by
 * at most a tenth of it towards the domain's own place in the interval, which its id decides. So domains that were
 * registered together, or caught up with together after an outage, spread out again, none is left out for long, and
 * none is checked twice in an interval.
 */
export function nextCheckAt(id: string, dueAt: Date, now: Date, intervalSeconds: number): Date {
  const interval = intervalSeconds * 1000;
  const late = now.getTime() - dueAt.getTime();
  const isPunctual = late < Math.min(PUNCTUAL_SHARE * interval, PUNCTUAL_MILLISECONDS);
  const next = (isPunctual ? dueAt : now).getTime() + interval;
  const place = createHash('sha256').update(`place ${id}`).digest().readUInt32BE(0) / 2 ** 32;
  const distance = (((Math.floor(place * interval) - next) % interval) + interval) % interval;
  return new Date(next + Math.min(distance, Math.floor(DRIFT_SHARE * interval)));
}

/** How long after a look that found a change the second one is taken. */
export function confirmAfterSeconds(intervalSeconds: number): number {
  return Math.min(LONGEST_CONFIRMATION_SECONDS, Math.ceil(intervalSeconds / 4));
}
