/** What users are told about a domain without asking. */

export type AlertType = 'score_change' | 'score_threshold' | 'dns_change' | 'report_failure' | 'new_report';

/** `info`: no action; `warning`: attention recommended; `critical`: immediate action. */
export type AlertSeverity = 'info' | 'warning' | 'critical';

/** An alert as rules make it; of each occasion there is one alert, however often the rules come to it. */
export interface AlertDraft {
  readonly type: AlertType;
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What tells the occasion from all others of the domain; short, and never text that people read. */
  readonly occasion: string;
}
