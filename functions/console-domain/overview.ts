import { consolePages } from '../../shared/pages/console/layout.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { planDependencies } from '../fixes/rules.ts';
import { routes } from './routes.ts';
import { showOverview } from './rules.ts';

export const handler = endpoint(
  routes.showDomainOverview,
  () => ({
    ...planDependencies(),
    domains: domainStore(table()),
    attention: attentionStore(table()),
    history: historyStore(table(), { retentionDays: config().RETENTION_DAYS }),
    dns: dns(),
    naming: naming(),
    clock,
  }),
  showOverview,
  consolePages,
);
