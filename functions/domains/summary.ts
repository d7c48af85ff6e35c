import { MOST_COUNTED_ALERTS, MOST_DUE_PER_SHARD } from '../../shared/api/summary.ts';
import { sumsOfOrganization } from '../../shared/enforcement/organization-sums.ts';
import { organizationSumsStores } from '../../shared/runtime/dependencies/organization-sums.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { grade } from '../../shared/score/grade.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { scheduleStore } from '../../shared/store/domains/schedule.ts';
import { routes } from './routes.ts';

const unread = { unreadOnly: true };
const counted = { page: 1, limit: MOST_COUNTED_ALERTS };

export const handler = endpoint(
  routes.getSummary,
  () => ({
    directory: directoryStore(table()),
    alerts: alertStore(table(), retention()),
    schedule: scheduleStore(table()),
    attention: attentionStore(table()),
    sums: organizationSumsStores(),
    clock,
  }),
  async ({ organization }, { directory, alerts, schedule, attention, sums, clock }) => {
    const now = clock.now();
    const [domains, found, due, open, { totals }] = await Promise.all([
      directory.count(organization),
      alerts.list(organization, unread, counted, now),
      schedule.dueOf(organization, now, MOST_DUE_PER_SHARD),
      attention.count(organization, now),
      sumsOfOrganization(organization, sums, now),
    ]);
    return reply({
      domains: {
        ...domains,
        grades: grade.options.map((one) => ({ grade: one, count: domains.byGrade[one] })),
      },
      domainsDue: due,
      unreadAlerts: { count: found.alerts.length, hasMore: found.hasMore },
      attention: open,
      dmarc: totals,
    });
  },
);
