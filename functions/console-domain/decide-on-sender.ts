import { consolePages } from '../../shared/pages/console/layout.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';
import { decideOnSender } from './rules.ts';

export const handler = endpoint(
  routes.decideOnSender,
  () => ({
    domains: domainStore(table()),
    ...enforcementDependencies(),
    rollUps: queue('summaries'),
  }),
  decideOnSender,
  consolePages,
);
