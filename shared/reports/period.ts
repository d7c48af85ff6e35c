/** The period that a report is about. */

import { pluralize } from '../protocol/quantity.ts';
import { DAY_MILLISECONDS } from '../protocol/time.ts';
import { unreadable } from './refusal.ts';
import type { Warnings } from './warnings.ts';

export interface Period {
  readonly begin: Date;
  readonly end: Date;
}

/** Daylight saving time and rounding can make a day longer. */
const LONGEST_DAY = 25 * 3_600_000;
const MAX_AGE = 400 * DAY_MILLISECONDS;
/** How many days after its receipt a report's period may begin: clocks and time zones of reporters can be wrong. */
export const MAX_LEAD_DAYS = 2;
/** The last second of the year 9999, up to which ISO 8601 has four digits. */
const MAX_SECONDS = 253_402_300_799;

/** Parses seconds since 1970 in the formats that occur: whole, fractional, negative, or as an ISO 8601 time in UTC. */
export function parseInstant(text: string, at: string, warnings: Warnings): Date | undefined {
  if (/^-?\d{1,15}(\.\d{0,15})?$/.test(text)) {
    const seconds = Math.trunc(Number(text));
    if (text.includes('.')) warnings.add('date-not-integer', () => at, text);
    if (seconds < 0) warnings.add('date-negative', () => at, text);
    return seconds > MAX_SECONDS ? undefined : new Date(Math.max(seconds, 0) * 1000);
  }
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  warnings.add('date-not-integer', () => at, text);
  return new Date(time);
}

/**
 * Checks a period against the time at which the report was received, and warns of unusual values. Without that time,
 * only the period itself is checked.
 * @throws RefusalError if the period begins more than MAX_LEAD_DAYS after receipt. Lists are sorted by this time, so
 * such a report would always remain the newest one.
 */
export function checkPeriod({ begin, end }: Period, receivedAt: Date | undefined, warnings: Warnings): void {
  const length = end.getTime() - begin.getTime();
  if (length < 0) warnings.add('period-reversed');
  if (length === 0) warnings.add('period-empty');
  if (length > LONGEST_DAY)
    warnings.add('period-long', undefined, pluralize(Math.round(length / DAY_MILLISECONDS), 'day'));
  if (receivedAt === undefined) return;
  const latest = receivedAt.getTime() + MAX_LEAD_DAYS * DAY_MILLISECONDS;
  if (begin.getTime() > latest) {
    throw unreadable(
      `the period begins at ${begin.toISOString()}, more than two days after the report was received`,
    );
  }
  if (end.getTime() > latest) warnings.add('period-in-future', undefined, end.toISOString());
  if (begin.getTime() < receivedAt.getTime() - MAX_AGE)
    warnings.add('period-old', undefined, begin.toISOString());
}
