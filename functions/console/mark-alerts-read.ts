import { alertsPath } from '../../shared/pages/console/alert-filter.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

/** How many unread alerts one request marks, in the order of the list. */
const MOST = { page: 1, limit: 300 };
const CONCURRENT = 10;

export const handler = endpoint(
  routes.markAlertsRead,
  () => ({
    domains: domainStore(table()),
    alerts: alertStore(table(), { retentionDays: config().RETENTION_DAYS }),
    clock,
  }),
  async ({ organization, form }, { domains, alerts, clock }) => {
    const { domain, severity, newest } = form;
    if (domain !== undefined) await requireDomain(domains, organization, domain);
    const now = clock.now();
    const wanted = { domainId: domain, severity, unreadOnly: true };
    const found = await alerts.list(organization, wanted, MOST, now);
    // Ids are in the order of creation; what was raised after the page was loaded stays unread.
    const shown = found.alerts.filter(({ id }) => id <= newest);
    for (let at = 0; at < shown.length; at += CONCURRENT) {
      const some = shown.slice(at, at + CONCURRENT);
      await Promise.all(some.map(({ id }) => alerts.markRead(organization, id, now)));
    }
    return {
      ...reply('', { location: alertsPath({ domain, severity, unread: false }) }),
      subjects: shown.map(({ id, domainName }) => ({ id, name: domainName })),
    };
  },
  consolePages,
);
