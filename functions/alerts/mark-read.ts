import { missing } from '../../shared/api/common.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { isCurrent } from '../../shared/runtime/http/entity-tag.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { routes } from './routes.ts';

/** The version of an alert that is read. Nobody knows another one: only these responses have one, and it stays read. */
const READ = 'read';

export const handler = endpoint(
  routes.markAlertRead,
  () => ({ alerts: alertStore(table(), { retentionDays: config().RETENTION_DAYS }), clock }),
  async ({ organization, path, ifMatch }, { alerts, clock }) => {
    if (!isCurrent(READ, ifMatch)) throw new ServiceError('precondition_failed');
    const read = await alerts.markRead(organization, path.id, clock.now());
    if (read === undefined) throw new ServiceError('not_found', missing.alert);
    return { ...reply(read), version: READ };
  },
);
