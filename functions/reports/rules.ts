/** Validation that the report endpoints share. */
import type { Days } from '../../shared/api/report-sources.ts';
import { number } from '../../shared/protocol/quantity.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import type { Acceptance } from '../../shared/runtime/http/acceptance.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/http/errors.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { answerTooLarge } from '../../shared/runtime/http/too-large.ts';
import { MAX_SEARCHED_REPORTS } from '../../shared/store/reports/lists.ts';

/** Rows as JSON, in bytes: what fits into Lambda's 6 MB uncompressed, and what may fit in a more compact format. */
const MAX_PLAIN = 6 * 1024 * 1024;
const MAX_HANDLED = 80 * 1024 * 1024;

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/**
 * Rejects a request before its rows are read, if the response would be too large.
 * @throws ServiceError `payload_too_large` with advice.
 */
export function limitRows(
  reports: readonly { listed: { rowOctets: number } }[],
  accepts: Acceptance,
  { success }: Route,
): void {
  const octets = reports.reduce((sum, { listed }) => sum + listed.rowOctets, 0);
  if (octets <= (accepts.gzip || accepts.csv ? MAX_HANDLED : MAX_PLAIN)) return;
  throw answerTooLarge(accepts, { csv: success.csv, lessBy: lessThan(reports) });
}

/**
 * What a search found.
 * @throws ServiceError `payload_too_large` with advice if it would have to read too many reports.
 */
export function searched<Found>(found: Found | 'too-many'): Found {
  if (found !== 'too-many') return found;
  throw new ServiceError(
    'payload_too_large',
    `A filter reads at most ${number(MAX_SEARCHED_REPORTS)} reports, with 64 MB of records. Use ${SHORTER_WINDOW}.`,
  );
}

/** Advice for getting fewer reports per page; none for a single report. */
export function lessThan(reports: readonly unknown[]): readonly string[] {
  return reports.length > 1 ? ['a smaller limit', SHORTER_WINDOW] : [];
}

export const SHORTER_WINDOW = 'a shorter window (startDate and endDate)';

/**
 * The UTC days of a window; the last 30 days by default. A day that is partly in the window counts as a whole. `where`:
 * the part of the request that has the window.
 * @throws ServiceError `invalid_request` if the window exceeds 366 days or begins after today.
 */
export function daysOf(
  { startDate, endDate }: { readonly startDate?: string; readonly endDate?: string },
  now: Date,
  where: 'query' | 'body' = 'query',
): Days {
  const path = `${where}.startDate`;
  const to = dayOf(endDate ?? now.toISOString());
  const from = startDate === undefined ? daysBefore(to, DEFAULT_DAYS - 1) : dayOf(startDate);
  if (from > to) throw invalidRequest({ path, message: 'must not be in the future' });
  if (from <= daysBefore(to, MAX_DAYS)) {
    throw invalidRequest({
      path,
      message: `must be less than ${MAX_DAYS} days before endDate (default: today)`,
    });
  }
  return { from, to };
}

const dayOf = (moment: string): string => moment.slice(0, 10);
