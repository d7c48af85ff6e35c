/** The windows of days that reports are read for. */
import type { Days } from '../../enforcement/dependencies.ts';
import { daysBefore } from '../../reports/day.ts';
import { invalid, type Refused } from '../outcome.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** Today and this many days before it, UTC. */
export function daysUntil(now: Date, before: number): Days {
  const to = dayOf(now.toISOString());
  return { from: daysBefore(to, before), to };
}

/** The last 30 days, UTC. */
export const recentDays = (now: Date): Days => daysUntil(now, DEFAULT_DAYS - 1);

/**
 * The UTC days of a window; the last 30 days by default. A day that is partly in the window counts as a whole. Refused if
 * the window exceeds 366 days or begins after today.
 */
export function daysOf(
  { startDate, endDate }: { readonly startDate?: string | undefined; readonly endDate?: string | undefined },
  now: Date,
): Days | Refused<'invalid_request'> {
  const path = 'startDate';
  const to = dayOf(endDate ?? now.toISOString());
  const from = startDate === undefined ? daysBefore(to, DEFAULT_DAYS - 1) : dayOf(startDate);
  if (from > to) return invalid({ path, message: 'must not be in the future' });
  if (from <= daysBefore(to, MAX_DAYS))
    return invalid({ path, message: `must be less than ${MAX_DAYS} days before endDate (default: today)` });
  return { from, to };
}

/** The end of a window that is longer than this many days. */
export function lastDaysOf({ from, to }: Days, most: number): Days {
  const earliest = daysBefore(to, most - 1);
  return { from: earliest > from ? earliest : from, to };
}

const dayOf = (moment: string): string => moment.slice(0, 10);
