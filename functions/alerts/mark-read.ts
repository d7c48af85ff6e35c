import { missing } from '../../shared/api/common.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.markAlertRead,
  () => ({ alerts: alertStore(table(), { retentionDays: config().RETENTION_DAYS }), clock }),
  async ({ organization, path }, { alerts, clock }) => {
    const read = await alerts.markRead(organization, path.id, clock.now());
    if (read === undefined) throw new ServiceError('not_found', missing.alert);
    return reply(read);
  },
);
