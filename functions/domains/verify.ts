import { verifyDomain } from '../../shared/operations/domains/verify-domain.ts';
import { verifyDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.verifyDomain, verifyDependencies, async (request, deps) =>
  answer(await verifyDomain(asCaller(request), request.path, deps)),
);
