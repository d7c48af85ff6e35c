/** The rows of the newest DMARC reports about a day: what record summaries leave out, for a bounded number of rows. */

import { daysBefore } from '../../reports/day.ts';
import type { DmarcRecordRow } from '../../reports/report.ts';
import type { DmarcReportStore } from './dmarc-reports.ts';

const READ_REPORTS = 10;
const READ_ROWS = 5000;

export type RowsOfReports = Pick<DmarcReportStore, 'list' | 'rowsOf'>;

type Listed = Awaited<ReturnType<DmarcReportStore['list']>>['reports'][number];

/** The reports whose period begins on `day` (`2026-01-31`), newest first, as far as they have at most 5,000 rows. */
export async function* rowsOfDay(
  domainId: string,
  day: string,
  dmarcReports: RowsOfReports,
  now: Date,
): AsyncGenerator<Listed & { readonly rows: Iterable<DmarcRecordRow> }> {
  const window = { from: `${day}T00:00:00.000Z`, until: `${daysBefore(day, -1)}T00:00:00.000Z` };
  const { reports } = await dmarcReports.list(domainId, { window, page: 1, limit: READ_REPORTS }, now);
  let left = READ_ROWS;
  for (const listed of reports) {
    // The rows of a large report are in many items.
    left -= listed.report.recordCount;
    if (left < 0) return;
    yield { ...listed, rows: await dmarcReports.rowsOf(domainId, listed) };
  }
}
