import { markAlertRead } from '../../shared/operations/alerts/mark-alert-read.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.markAlertRead,
  () => ({ alerts: alertStore(table(), retention()), clock }),
  markAlertRead,
);
