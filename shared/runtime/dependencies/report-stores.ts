import type { ReportStores } from '../../ingest/ingest-reports.ts';
import { alertStore } from '../../store/alerts/alerts.ts';
import { seenSelectorStore } from '../../store/check-runs/seen-selectors.ts';
import { rateStore } from '../../store/rates/rates.ts';
import { dmarcReportStore } from '../../store/reports/dmarc-reports.ts';
import { mailOutcomeStore } from '../../store/reports/mail-outcomes.ts';
import { tlsReportStore } from '../../store/reports/tls-reports.ts';
import type { Table } from '../../store/table.ts';

/**
 * All stores that ingesting a report writes to. `rollUp` requests that summaries are rolled up; by default, they are when
 * a further report arrives.
 */
export function reportStores(
  table: Table,
  { retentionDays }: { retentionDays: number },
  rollUp: ReportStores['rollUp'] = async () => {},
): ReportStores {
  return {
    items: table,
    rollUp,
    dmarcReports: dmarcReportStore(table, { retentionDays }),
    tlsReports: tlsReportStore(table, { retentionDays }),
    outcomes: mailOutcomeStore(table, { retentionDays }),
    selectors: seenSelectorStore(table),
    alerts: alertStore(table, { retentionDays }),
    rates: rateStore(table),
  };
}
