/** Days such as `2026-01-31`, UTC. */
import { DAY_MILLISECONDS, dayAt } from '../protocol/time.ts';

/** The day that is this many days earlier. */
export const daysBefore = (day: string, days: number): string =>
  dayAt(new Date(Date.parse(day) - days * DAY_MILLISECONDS));

/** The number of days from one day to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS);
