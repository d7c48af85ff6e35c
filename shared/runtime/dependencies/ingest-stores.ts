import type { ReportStores } from '../../ingest/ingest-reports.ts';
import { config } from '../config/config.ts';
import { withAlertLog } from '../logging/record-alerts.ts';
import { queue } from '../workers/queue.ts';
import { reportStores } from './report-stores.ts';
import { table } from './services.ts';

/** Reports often arrive together, and are rolled up together then. */
const ROLL_UP_DELAY_SECONDS = 60;

/** The stores of a function that ingests reports: it logs their alerts, and has their summaries rolled up later. */
export function ingestStores(on = table()): ReportStores {
  const summaries = queue('summaries');
  const stores = reportStores(on, { retentionDays: config().RETENTION_DAYS }, (domain, rollUp) =>
    summaries.send({ domain, ...rollUp }, { delaySeconds: ROLL_UP_DELAY_SECONDS }),
  );
  return { ...stores, alerts: withAlertLog(stores.alerts) };
}
