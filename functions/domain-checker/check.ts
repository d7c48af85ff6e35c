import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { apiDependencies, checkAndSave } from './api-rules.ts';
import { routes } from './routes.ts';
import { requirePublicChecks } from './rules.ts';

export const handler = endpoint(routes.checkAnyDomain, apiDependencies, async (request, deps) => {
  requirePublicChecks();
  return reply(await checkAndSave(request, async () => null, deps));
});
