import { consolePages } from '../../shared/pages/console/layout.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../shared/store/domains/ownership.ts';
import { routes } from './routes.ts';
import { verifyDomain } from './rules.ts';

export const handler = endpoint(
  routes.verifyInConsole,
  () => ({
    domains: domainStore(table()),
    ownership: ownershipStore(table()),
    notifications: notificationSettingsStore(table()),
    naming: naming(),
    dns: dns(),
    clock,
  }),
  verifyDomain,
  consolePages,
);
