import type * as z from 'zod/mini';
import { consolePages } from '../shared/pages/console/layout.ts';
import { type EndpointHandler, endpoint, type Request } from '../shared/runtime/http/endpoint.ts';
import type { Reply } from '../shared/runtime/http/reply.ts';
import type { Route } from '../shared/runtime/http/route.ts';

/** The handler of a page or form of the console, which shows errors as a page of it. */
export const consoleEndpoint = <R extends Route, Dependencies>(
  route: R,
  makeDependencies: () => Dependencies,
  handle: (request: Request<R>, deps: Dependencies) => Promise<Reply<z.output<R['success']['schema']>>>,
): EndpointHandler<Dependencies> => endpoint(route, makeDependencies, handle, consolePages);
