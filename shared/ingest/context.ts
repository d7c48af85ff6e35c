/** What ingesting reports needs: the stores that it writes to, and how the reports arrived. */
import type { NotificationSettings } from '../alerts/notification.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { SeenSelectorStore } from '../store/check-runs/seen-selectors.ts';
import type { DomainReference } from '../store/domains/domains.ts';
import type { ItemStore } from '../store/items.ts';
import type { RateStore } from '../store/rates/rates.ts';
import type { Arrival } from '../store/reports/commit.ts';
import type { RollUp } from '../store/reports/days.ts';
import type { DmarcReportStore } from '../store/reports/dmarc-reports.ts';
import type { MailOutcomeStore, ReportMail } from '../store/reports/mail-outcomes.ts';
import type { TlsReportStore } from '../store/reports/tls-reports.ts';

export interface ReportStores {
  readonly dmarcReports: DmarcReportStore;
  readonly tlsReports: TlsReportStore;
  readonly outcomes: MailOutcomeStore;
  readonly selectors: SeenSelectorStore;
  readonly alerts: AlertStore;
  readonly rates: RateStore;
  readonly items: Pick<ItemStore, 'getMany'>;
  /** Requests that summaries are rolled up, now or later. If that never happens, reading them only costs more. */
  readonly rollUp: (domain: DomainReference, rollUp: RollUp) => Promise<void>;
}

/** How the reports arrived and how to handle them. */
export interface IngestContext {
  readonly domain: DomainReference;
  readonly arrival: Omit<Arrival, 'warnings'>;
  /** Whether reports from unauthenticated senders count. */
  readonly unauthenticated: 'count' | 'set-aside';
  /** Whether reports that the owner deleted are stored again; by default, they are not. */
  readonly restoresDeleted?: boolean;
  /** Whether to raise alerts; not for an archive of old reports. */
  readonly alerts: boolean;
  /** Where events about new reports are sent, if anywhere. */
  readonly notifications?: NotificationSettings;
  /** The mail, if its only outcome is to be stored together with its report. */
  readonly mail?: Omit<ReportMail, 'outcomes'>;
}
