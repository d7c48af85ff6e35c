import { alertStore } from '../../store/alerts/alerts.ts';
import { historyStore } from '../../store/check-runs/history.ts';
import { directoryStore } from '../../store/domains/directory.ts';
import { dmarcReportStore } from '../../store/reports/dmarc-reports.ts';
import type { ListDependencies } from '../../views/domain-list.ts';
import { config } from '../config/config.ts';
import { clock, table } from './services.ts';

/** What the list of domains is read from. */
export function listDependencies(): ListDependencies {
  const kept = { retentionDays: config().RETENTION_DAYS };
  return {
    directory: directoryStore(table()),
    history: historyStore(table(), kept),
    alerts: alertStore(table(), kept),
    reports: dmarcReportStore(table(), kept),
    clock,
  };
}
