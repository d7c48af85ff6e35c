/** The period that a report is about. */
import type { Warnings } from './warnings.ts';

export interface Period {
  readonly begin: Date;
  readonly end: Date;
}

const DAY = 86_400_000;
/** Reporters stretch a day by clock changes and rounding. */
const LONGEST_DAY = 25 * 3_600_000;
const MAX_AGE = 400 * DAY;
const MAX_LEAD = 2 * DAY;
/** The last second of the year 9999, up to which ISO 8601 has four digits. */
const MAX_SECONDS = 253_402_300_799;

/** Seconds since 1970, in the forms that occur: whole, with a fraction, negative, or an ISO 8601 time in UTC. */
export function instantForm(text: string, at: string, warnings: Warnings): Date | undefined {
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

/** Says what is odd about a period, which the store may want to leave out of charts. */
export function warnOfPeriod({ begin, end }: Period, now: Date | undefined, warnings: Warnings): void {
  const length = end.getTime() - begin.getTime();
  if (length < 0) warnings.add('period-reversed');
  if (length === 0) warnings.add('period-empty');
  if (length > LONGEST_DAY) warnings.add('period-long', undefined, `${Math.round(length / DAY)} days`);
  if (now === undefined) return;
  if (end.getTime() > now.getTime() + MAX_LEAD)
    warnings.add('period-in-future', undefined, end.toISOString());
  if (begin.getTime() < now.getTime() - MAX_AGE) warnings.add('period-old', undefined, begin.toISOString());
}
