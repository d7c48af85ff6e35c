import { markAlertRead } from '../../shared/operations/alerts/mark-alert-read.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.markAlertRead,
  () => ({ alerts: alertStore(table(), { retentionDays: config().RETENTION_DAYS }), clock }),
  async ({ path, body, ...request }, deps) =>
    answer(await markAlertRead(asCaller(request), { ...path, ...body }, deps)),
);
