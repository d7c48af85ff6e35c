import { showCreatedDomain } from '../../shared/api/domains.ts';
import { createDomain } from '../../shared/operations/domains/create-domain.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.createDomain,
  registrationDependencies,
  async (request, { naming, ...deps }) =>
    answer(await createDomain(asCaller(request), request.body, deps), (domain) =>
      showCreatedDomain(domain, naming),
    ),
);
