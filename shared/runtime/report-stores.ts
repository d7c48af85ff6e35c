import type { ReportStores } from '../intake/take-reports.ts';
import { alertStore } from '../store/alerts.ts';
import { dmarcReportStore } from '../store/dmarc-reports.ts';
import { mailOutcomeStore } from '../store/mail-outcomes.ts';
import { rateStore } from '../store/rates.ts';
import { seenSelectorStore } from '../store/seen-selectors.ts';
import type { Table } from '../store/table.ts';
import { tlsReportStore } from '../store/tls-reports.ts';

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
