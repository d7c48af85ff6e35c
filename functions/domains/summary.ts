import { MOST_COUNTED_ALERTS } from '../../shared/api/summary.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { routes } from './routes.ts';

const unread = { unreadOnly: true };
const counted = { page: 1, limit: MOST_COUNTED_ALERTS };

export const handler = endpoint(
  routes.getSummary,
  () => ({
    directory: directoryStore(table()),
    alerts: alertStore(table(), { retentionDays: config().RETENTION_DAYS }),
    clock,
  }),
  async ({ organization }, { directory, alerts, clock }) => {
    const now = clock.now();
    const [domains, found] = await Promise.all([
      directory.count(organization, now),
      alerts.list(organization, unread, counted, now),
    ]);
    return reply({ domains, unreadAlerts: { count: found.alerts.length, hasMore: found.hasMore } });
  },
);
