import { deleteDomain } from '../../shared/operations/domains/delete-domain.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.deleteDomain,
  () => ({ domains: domainStore(table()), deletions: queue('deletions'), clock }),
  deleteDomain,
);
