/** Queries of the report endpoints: pages of what lies in a window of time. */
import * as z from 'zod/mini';
import type { Window } from '../store/reports/days.ts';
import { described, flag, paginationQuery } from './common.ts';

const dateMessage = 'must be an ISO 8601 date, or a date and time';

/** No report is older, and moments before it would not sort, or not be read by those who are told them. */
const EARLIEST = '1970-01-01T00:00:00.000Z';

/** ISO 8601 in its extended form, as RFC 3339 profiles it, where seconds and the offset may be left out. */
const MOMENT =
  /^\d{4}-\d{2}-\d{2}([Tt]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * A date, or a date and time, as the moment it means; UTC where it does not tell its offset. A date stands for its
 * first or its last millisecond. The plus sign of an offset that was not escaped in the query has become a blank.
 */
const moment = (timeOfDate: string) =>
  z.pipe(
    z.transform((text: string) => text.replace(/ (?=\d\d:\d\d$)/, '+')),
    z.pipe(
      z.string().check(z.regex(MOMENT, { error: dateMessage, abort: true })),
      z.transform((text, context) => {
        const read = readMoment(text.toUpperCase(), timeOfDate);
        if (read !== undefined && read >= EARLIEST) return read;
        const message = read === undefined ? dateMessage : 'must not lie before 1970';
        context.issues.push({ code: 'custom', message, input: text });
        return z.NEVER;
      }),
    ),
  );

/** In the form in which moments are kept; undefined for a day that no calendar has, or a year of other than four digits. */
function readMoment(text: string, timeOfDate: string): string | undefined {
  const [date = '', time = timeOfDate] = text.split('T');
  const midnight = new Date(`${date}T00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return undefined;
  const offset = /(?:Z|[+-]\d\d:\d\d)$/.test(time) ? '' : 'Z';
  const moment = new Date(`${date}T${time}${offset}`).toISOString();
  return moment.length === 'YYYY-MM-DDThh:mm:ss.sssZ'.length ? moment : undefined;
}

const startDate = described(
  z.optional(moment('00:00:00.000')),
  'Reports whose period begins at this moment, in 1970 or later, or after it: ISO 8601, a date or a date and time, UTC where no offset is given',
);
const endDate = described(
  z.optional(moment('23:59:59.999')),
  'Reports whose period begins up to this moment, likewise; of a date, up to its end',
);

const inOrder = z.refine<{ startDate?: string | undefined; endDate?: string | undefined }>(
  ({ startDate, endDate }) => startDate === undefined || endDate === undefined || startDate <= endDate,
  { error: 'must not lie after endDate', path: ['startDate'] },
);

const periodQuery = { ...paginationQuery.shape, startDate, endDate };

export const dmarcReportsQuery = z
  .object({ ...periodQuery, includeRecords: flag('With the records of each report') })
  .check(inOrder);

export const tlsReportsQuery = z
  .object({ ...periodQuery, includePolicies: flag('With the policies of each report') })
  .check(inOrder);

export const pagedDaysQuery = z.object(periodQuery).check(inOrder);

export const daysQuery = z.object({ startDate, endDate }).check(inOrder);

/** The window of a query, whose end is within it, as the store has windows, whose end is not. */
export function windowOf({ startDate, endDate }: { startDate?: string; endDate?: string }): Window {
  const until = endDate === undefined ? Number.POSITIVE_INFINITY : Date.parse(endDate) + 1;
  // A year of more than four digits would not sort; nothing begins after the last one of four.
  return { from: startDate, until: until < END_OF_TIME ? new Date(until).toISOString() : undefined };
}

const END_OF_TIME = Date.UTC(10_000, 0);
