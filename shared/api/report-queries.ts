/** Queries of the report endpoints: pages of what lies in a window of time. */
import * as z from 'zod/mini';
import type { Window } from '../store/report-days.ts';
import { described, flag, paginationQuery } from './common.ts';

const dateMessage = 'must be an ISO 8601 date, or a date and time with its offset from UTC';

/**
 * A date, or a date and time, as the moment it means. A date stands for its first or its last millisecond, UTC. The
 * plus sign of an offset that was not escaped in the query has become a blank.
 */
const moment = (timeOfDate: string) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text: string) => text.replace(/ (?=\d\d:\d\d$)/, '+')),
    ),
    z.pipe(
      z.union([z.iso.date(), z.iso.datetime({ offset: true })], dateMessage),
      z.pipe(
        z.transform((text: string) =>
          new Date(text.length === 'YYYY-MM-DD'.length ? `${text}T${timeOfDate}Z` : text).toISOString(),
        ),
        z.iso.datetime(dateMessage),
      ),
    ),
  );

const startDate = described(z.optional(moment('00:00:00.000')), 'From this moment on, ISO 8601');
const endDate = described(
  z.optional(moment('23:59:59.999')),
  'Up to this moment, ISO 8601; of a date, its end',
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
