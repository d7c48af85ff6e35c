import { verifyDomain } from '../../shared/operations/domains/verify-domain.ts';
import { domainPath } from '../../shared/pages/console/domain/frame.ts';
import { verifyDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** The overview says what DNS shows. */
export const handler = consoleEndpoint(routes.verifyInConsole, verifyDependencies, async (request, deps) =>
  redirect(await verifyDomain(request.caller, request.path, deps), () => domainPath(request.path.id)),
);
