/** Queries of the report endpoints: pages of a time window. */
import * as z from 'zod/mini';
import { described, withKeywords } from '../protocol/schema.ts';
import { dayAt } from '../protocol/time.ts';
import { normalizedAddress } from '../reports/values.ts';
import type { Window } from '../store/reports/lists.ts';
import type { ReportFilter } from '../store/reports/report-store.ts';
import { boundedPagination, continuing, domainPath, flag, missing, paginationQuery } from './common.ts';

const dateMessage = 'must be an ISO 8601 date, or a date and time';

/** No report is older, and earlier times would not sort correctly. */
const EARLIEST = '1970-01-01T00:00:00.000Z';

/** ISO 8601 extended format as profiled by RFC 3339, with optional seconds and offset. */
const MOMENT =
  /^\d{4}-\d{2}-\d{2}([Tt]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * A date, or a date and time; UTC if it has no offset. A date means its first or its last millisecond. An unescaped plus
 * sign of an offset has become a space in the query.
 */
export const moment = (timeOfDate: string) =>
  z.pipe(
    z.transform((given) => (typeof given === 'string' ? given.replace(/ (?=\d\d:\d\d$)/, '+') : given)),
    z.pipe(
      z.string(dateMessage).check(z.regex(MOMENT, { error: dateMessage, abort: true })),
      z.transform((text, context) => {
        const read = readMoment(text.toUpperCase(), timeOfDate);
        if (read !== undefined && read >= EARLIEST) return read;
        const message = read === undefined ? dateMessage : 'must not be before 1970';
        context.issues.push({ code: 'custom', message, input: text });
        return z.NEVER;
      }),
    ),
  );

/** The time in stored format; undefined for an invalid date, or a year that does not have four digits. */
function readMoment(text: string, timeOfDate: string): string | undefined {
  const [date = '', time = timeOfDate] = text.split('T');
  const midnight = new Date(`${date}T00:00Z`);
  if (Number.isNaN(midnight.getTime()) || dayAt(midnight) !== date) return undefined;
  const offset = /(?:Z|[+-]\d\d:\d\d)$/.test(time) ? '' : 'Z';
  const moment = new Date(`${date}T${time}${offset}`).toISOString();
  return moment.length === 'YYYY-MM-DDThh:mm:ss.sssZ'.length ? moment : undefined;
}

/** What generated clients send. Times without seconds or without an offset are accepted, too. */
const dateOrTime = {
  pattern:
    '^(19[7-9]|[2-9][0-9]{2})[0-9]-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-][01][0-9]:[0-5][0-9]))?$',
};

/** A `moment` with the formats that JSON Schema knows for it. */
const describedMoment = <S extends z.ZodMiniType>(schema: S, description: string, example: string): S =>
  withKeywords(described(schema, description, example), dateOrTime);

const startDate = describedMoment(
  z.optional(moment('00:00:00.000')),
  'Include only data from periods that start at or after this time. ISO 8601 date, or date and time; UTC if it has no offset; not before 1970',
  '2026-01-01',
);
const endDate = describedMoment(
  z.optional(moment('23:59:59.999')),
  'Include only data from periods that start at or before this time, in the same format. A date means the end of that day',
  '2026-01-31',
);

/** The window of a list of `what` by the time at which they happened; both ends are optional. */
export const timesOf = (what: string) => ({
  startDate: describedMoment(
    z.optional(moment('00:00:00.000')),
    `Return only ${what} from this time on. ISO 8601 date, or date and time; UTC if it has no offset`,
    '2026-01-01',
  ),
  endDate: describedMoment(
    z.optional(moment('23:59:59.999')),
    `Return only ${what} up to this time, in the same format. A date means the end of that day`,
    '2026-01-31',
  ),
});

/** The window of a list by the time at which its rows were made; both ends are optional. */
export const sinceUntil = (() => {
  const { startDate: since, endDate: until } = timesOf('rows');
  return { since, until };
})();

/** The check that a window does not end before it starts, by the names of its ends. */
export const notAfter = <Name extends string>(from: Name, to: Name) =>
  z.refine<{ readonly [End in Name]?: string | undefined }>(
    ({ [from]: first, [to]: last }) => first === undefined || last === undefined || first <= last,
    { error: `must not be after ${to}`, path: [from] },
  );

export const sinceBeforeUntil = notAfter('since', 'until');

export const inOrder = notAfter('startDate', 'endDate');

/** The same with an exclusive end, for stores. */
export function betweenTimes({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  const { from, until: end } = windowOf({ startDate: since, endDate: until });
  return { since: from, until: end };
}

/** The window of a query; both ends are optional. */
export const period = { startDate, endDate };

const periodQuery = { ...paginationQuery.shape, ...continuing.shape, ...period };

/** At most what is stored of these texts. */
const MAX_FILTER = 1024;

const filterText = z
  .string()
  .check(
    z.minLength(1, 'must not be empty'),
    z.maxLength(MAX_FILTER, `must not be longer than ${MAX_FILTER} characters`),
  );

const reportFilters = {
  reporter: described(
    z.optional(filterText),
    'Return only reports of the reporter with this name, in upper or lower case',
    'google.com',
  ),
  failing: flag('Return only reports with failures'),
  reportId: described(
    z.optional(filterText),
    'Return only the report with this `id` or `reportId`',
    '17042001234567890123',
  ),
};

const address = withKeywords(
  z.pipe(
    z.transform((text: string) => normalizedAddress(text) ?? ''),
    z.string().check(z.minLength(1, 'must be an IP address')),
  ),
  { pattern: '^[0-9A-Fa-f.:]+$' },
);

const sourceIp = described(
  z.optional(address),
  'Return only reports with messages from this IP address',
  '192.0.2.1',
);

/** Whether a query asks for some of the reports of its window. */
export const isFiltered = ({ reporter, failing, reportId, sourceIp }: ReportFilter): boolean =>
  failing === true || [reporter, reportId, sourceIp].some((filter) => filter !== undefined);

export const dmarcReportsQuery = z
  .object({
    ...periodQuery,
    ...reportFilters,
    sourceIp,
    includeRecords: flag('Include the records of each report'),
  })
  .check(continuing.check, inOrder);

export const tlsReportsQuery = z
  .object({ ...periodQuery, ...reportFilters, includePolicies: flag('Include the policies of each report') })
  .check(continuing.check, inOrder);

const sourcePagination = boundedPagination(10_000, 'narrow the period with startDate and endDate');

export const sourcesQuery = z
  .object({ ...sourcePagination.shape, startDate, endDate })
  .check(sourcePagination.check, inOrder);

export const daysQuery = z.object({ startDate, endDate }).check(inOrder);

export const reportPath = z.object({
  ...domainPath.shape,
  reportId: described(
    z.uuid(missing.report).check(z.toLowerCase()),
    'The `id` of the report',
    '6f1c7a52-0d3e-8a41-9b7c-2f8e4d5a6b10',
  ),
});

export const deleteReportQuery = z.object(period).check(inOrder);

/** Converts the window of a query, with an inclusive end, to a window of the store, with an exclusive end. */
export function windowOf({
  startDate,
  endDate,
}: {
  startDate?: string | undefined;
  endDate?: string | undefined;
}): Window {
  const until = endDate === undefined ? Number.POSITIVE_INFINITY : Date.parse(endDate) + 1;
  // Years with more than four digits would not sort correctly, and no period starts after the year 9999.
  return { from: startDate, until: until < END_OF_TIME ? new Date(until).toISOString() : undefined };
}

const END_OF_TIME = Date.UTC(10_000, 0);
