import { deleteDomain } from '../../shared/operations/domains/delete-domain.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { CONSOLE_PATH } from '../../shared/runtime/http/session-cookie.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.deleteDomainInConsole,
  () => ({ domains: domainStore(table()), deletions: queue('deletions'), clock }),
  async (request, deps) => {
    const outcome = await deleteDomain(request.caller, request.path, deps);
    const [deleted] = 'subjects' in outcome ? (outcome.subjects ?? []) : [];
    return redirect(
      outcome,
      () => CONSOLE_PATH,
      () => ({ says: `${deleted?.name} is deleted.` }),
    );
  },
);
