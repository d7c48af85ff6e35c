/** Lists of reports with their rows, which can be too large for a response. */
import { SHORTER_WINDOW } from '../../operations/reports/searched.ts';
import type { Acceptance } from './acceptance.ts';
import type { Route } from './route.ts';
import { answerTooLarge } from './too-large.ts';

/** Rows as JSON, in bytes: what fits into Lambda's 6 MB uncompressed, and what may fit in a more compact format. */
const MAX_PLAIN = 6 * 1024 * 1024;
const MAX_HANDLED = 80 * 1024 * 1024;

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
  if (octets <= (accepts.gzip || accepts.format !== undefined ? MAX_HANDLED : MAX_PLAIN)) return;
  throw answerTooLarge(accepts, { formats: success.formats, lessBy: lessThan(reports) });
}

/** Advice for getting fewer reports per page; none for a single report. */
export function lessThan(reports: readonly unknown[]): readonly string[] {
  return reports.length > 1 ? ['a smaller limit', SHORTER_WINDOW] : [];
}
