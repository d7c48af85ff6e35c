import { checkAnyDomain } from '../../shared/operations/domain-checker/check-any-domain.ts';
import { savedCheckDependencies } from '../../shared/runtime/dependencies/checkers.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { checkReply } from './check-reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.checkAnyDomain, savedCheckDependencies, async (request, deps) =>
  checkReply(await checkAnyDomain(request.body, deps), request, deps),
);
