/** What the report endpoints hold a request against. */
import type { Days } from '../../shared/api/report-sources.ts';
import type { Acceptance } from '../../shared/runtime/acceptance.ts';
import { invalidRequest } from '../../shared/runtime/errors.ts';
import type { Route } from '../../shared/runtime/route.ts';
import { answerTooLarge } from '../../shared/runtime/too-large.ts';

/** Rows as JSON, in octets: what may fit into 6 MB as it is, and what may in another form and is not too much to handle. */
const MAX_PLAIN = 6 * 1024 * 1024;
const MAX_HANDLED = 80 * 1024 * 1024;

const DAY_MILLISECONDS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/**
 * Refuses rows before they are read, where their answer is known to be too large.
 * @throws ServiceError `payload_too_large`, which says what helps.
 */
export function limitRows(
  reports: readonly { listed: { rowOctets: number } }[],
  accepts: Acceptance,
  { success }: Route,
): void {
  const octets = reports.reduce((sum, { listed }) => sum + listed.rowOctets, 0);
  if (octets <= (accepts.gzip || accepts.csv ? MAX_HANDLED : MAX_PLAIN)) return;
  throw answerTooLarge(accepts, { alternatives: success.alternatives, lessBy: lessThan(reports) });
}

/** How to get fewer reports than a page has; a single one has no parts. */
export function lessThan(reports: readonly unknown[]): readonly string[] {
  return reports.length > 1 ? ['a smaller limit', SHORTER_WINDOW] : [];
}

export const SHORTER_WINDOW = 'a shorter window, by startDate and endDate';

/**
 * The days, UTC, of a window: the last 30 up to today, where nothing else is said. A day that is partly in the window
 * is in it whole.
 * @throws ServiceError `invalid_request` for a window of more than 366 days, or one that begins after today.
 */
export function daysOf({ startDate, endDate }: { startDate?: string; endDate?: string }, now: Date): Days {
  const to = dayOf(endDate ?? now.toISOString());
  const from = startDate === undefined ? daysBefore(to, DEFAULT_DAYS - 1) : dayOf(startDate);
  if (from > to) throw invalidRequest({ path: 'query.startDate', message: 'must not lie in the future' });
  if (from <= daysBefore(to, MAX_DAYS)) {
    throw invalidRequest({
      path: 'query.startDate',
      message: `must lie less than ${MAX_DAYS} days before endDate, which is today where it is not given`,
    });
  }
  return { from, to };
}

const dayOf = (moment: string): string => moment.slice(0, 10);

const daysBefore = (day: string, days: number): string =>
  dayOf(new Date(Date.parse(day) - days * DAY_MILLISECONDS).toISOString());

/** Where the next page is (RFC 8288): CSV has no place of its own for it. */
export function nextPageLink(
  query: { page: number; limit: number; startDate?: string; endDate?: string },
  hasMore: boolean,
): Record<string, string> {
  if (!hasMore) return {};
  const { page, limit, startDate, endDate } = query;
  const next = new URLSearchParams({
    page: String(page + 1),
    limit: String(limit),
    ...(startDate !== undefined && { startDate }),
    ...(endDate !== undefined && { endDate }),
  });
  return { link: `<?${next}>; rel="next"` };
}
