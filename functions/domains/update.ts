import { showDomain } from '../../shared/api/domains.ts';
import { updateDomain } from '../../shared/operations/domains/update-domain.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.updateDomain,
  () => ({ domains: domainStore(table()), naming: naming(), clock }),
  async ({ path, body, ...request }, { naming, ...deps }) =>
    answer(await updateDomain(asCaller(request), { ...path, ...body }, deps), (domain) => ({
      ...showDomain(domain, naming),
      verificationToken: domain.verificationToken,
    })),
);
