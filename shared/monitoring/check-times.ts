/** When a domain is checked next. */
import { createHash } from 'node:crypto';

/** How late a check may start and still count as on time: this share of the interval, but at most two minutes. */
const PUNCTUAL_SHARE = 0.1;
const PUNCTUAL_MILLISECONDS = 120_000;

/** The maximum share of the interval by which a check is delayed to move the domain towards its own time slot. */
const DRIFT_SHARE = 0.1;

/** The maximum delay of a confirmation run, so that alerts are sent soon after a change. */
const LONGEST_CONFIRMATION_SECONDS = 60;

/**
 * Returns the time of the next check of a domain that was due at `dueAt` and is being checked at `now`: one interval
 * later, plus at most a tenth of the interval towards the domain's own time slot, which its id determines. So domains
 * that were registered together, or checked together after an outage, spread out again. No domain waits much longer
 * than an interval, and none is checked twice in one interval.
 */
export function nextCheckAt(id: string, dueAt: Date, now: Date, intervalSeconds: number): Date {
  const interval = intervalSeconds * 1000;
  const late = now.getTime() - dueAt.getTime();
  const isPunctual = late < Math.min(PUNCTUAL_SHARE * interval, PUNCTUAL_MILLISECONDS);
  const next = (isPunctual ? dueAt : now).getTime() + interval;
  const slot = createHash('sha256').update(`place ${id}`).digest().readUInt32BE(0) / 2 ** 32;
  const distance = (((Math.floor(slot * interval) - next) % interval) + interval) % interval;
  return new Date(next + Math.min(distance, Math.floor(DRIFT_SHARE * interval)));
}

/** How far ahead `nextCheckAt` plans a check at most. */
export const longestWait = (intervalSeconds: number): number => (1 + DRIFT_SHARE) * intervalSeconds * 1000;

/** Returns the delay, in seconds, between a check run that found a change and the run that confirms it. */
export function confirmAfterSeconds(intervalSeconds: number): number {
  return Math.min(LONGEST_CONFIRMATION_SECONDS, Math.ceil(intervalSeconds / 4));
}
