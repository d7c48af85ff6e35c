/** When a certificate should have been renewed, by the share of its lifetime that is left. */
import { DAY_MILLISECONDS } from './time.ts';

export interface Lifetime {
  readonly validFrom: Date;
  readonly validTo: Date;
}

/**
 * The last part of its lifetime. Programs renew a certificate when a third of it remains, or a half if it is valid for a few
 * days (Let's Encrypt), so one that is within the last quarter was not renewed when it was due.
 */
const LAST_PART = 1 / 4;

/** Certificates that are valid for long are renewed by people, a few weeks before they expire. */
const MOST_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** What is left of a certificate in whole days, and for how many days it is valid. */
export interface LifetimeLeft {
  readonly left: number;
  readonly of: number;
}

/** Undefined unless a certificate should have been renewed at `now`. */
export function overdue({ validFrom, validTo }: Lifetime, now: Date): LifetimeLeft | undefined {
  const lifetime = validTo.getTime() - validFrom.getTime();
  const left = validTo.getTime() - now.getTime();
  if (!(left < Math.min(MOST_MILLISECONDS, LAST_PART * lifetime))) return undefined;
  return {
    left: Math.max(0, Math.floor(left / DAY_MILLISECONDS)),
    of: Math.round(lifetime / DAY_MILLISECONDS),
  };
}
