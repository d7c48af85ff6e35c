import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';
import { requireDomain, subjectOf, verifyOwnership } from './rules.ts';

export const handler = endpoint(
  routes.verifyDomain,
  () => ({
    domains: domainStore(table()),
    notifications: notificationSettingsStore(table()),
    naming: naming(),
    dns: dns(),
    clock,
  }),
  async ({ organization, path }, deps) => {
    const domain = await requireDomain(deps.domains, organization, path.id);
    return { ...reply(await verifyOwnership(domain, deps)), subjects: [subjectOf(domain)] };
  },
);
