import { deleteDomain } from '../../shared/operations/domains/delete-domain.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.deleteDomain,
  () => ({ domains: domainStore(table()), deletions: queue('deletions'), clock }),
  async (request, deps) => answer(await deleteDomain(asCaller(request), request.path, deps)),
);
