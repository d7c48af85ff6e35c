/** Alerts about a domain. */

export type AlertType = 'score_change' | 'score_threshold' | 'dns_change' | 'report_failure' | 'new_report';

/** `info`: no action; `warning`: attention recommended; `critical`: immediate action. */
export type AlertSeverity = 'info' | 'warning' | 'critical';

/** An alert before it is stored. */
export interface AlertDraft {
  readonly type: AlertType;
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ReportAlertDraft extends AlertDraft {
  /** At most one alert is raised per dedupe key of a domain. */
  readonly dedupeKey: string;
}
