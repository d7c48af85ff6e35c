import type { ReportStores } from '../intake/take-reports.ts';
import { alertStore } from '../store/alerts/alerts.ts';
import { seenSelectorStore } from '../store/looks/seen-selectors.ts';
import { rateStore } from '../store/rates/rates.ts';
import { dmarcReportStore } from '../store/reports/dmarc-reports.ts';
import { mailOutcomeStore } from '../store/reports/mail-outcomes.ts';
import { tlsReportStore } from '../store/reports/tls-reports.ts';
import type { Table } from '../store/table.ts';

/** Everything that a report leaves a trace in. */
export function reportStores(table: Table, { retentionDays }: { retentionDays: number }): ReportStores {
  return {
    dmarcReports: dmarcReportStore(table, { retentionDays }),
    tlsReports: tlsReportStore(table, { retentionDays }),
    outcomes: mailOutcomeStore(table, { retentionDays }),
    selectors: seenSelectorStore(table),
    alerts: alertStore(table, { retentionDays }),
    rates: rateStore(table),
  };
}
