import type * as z from 'zod/mini';
import { table } from '../shared/runtime/dependencies/services.ts';
import { type EndpointHandler, endpoint, type Request } from '../shared/runtime/http/endpoint.ts';
import type { Presentation } from '../shared/runtime/http/presentation.ts';
import type { Reply } from '../shared/runtime/http/reply.ts';
import { requireDomain } from '../shared/runtime/http/require-domain.ts';
import type { Route } from '../shared/runtime/http/route.ts';
import { type Domain, type DomainStore, domainStore } from '../shared/store/domains/domains.ts';

/** The ID of the domain is in the path. */
type DomainRoute = Route & { readonly request: { readonly path: z.ZodMiniType<{ readonly id: string }> } };

/** The handler of an endpoint that reads something about a domain of the organization. */
export const domainEndpoint = <R extends DomainRoute, Dependencies>(
  route: R,
  makeDependencies: () => Dependencies,
  handle: (
    domain: Domain,
    request: Request<R>,
    deps: Dependencies,
  ) => Promise<Reply<z.output<R['success']['schema']>>>,
  presentation?: Presentation,
): EndpointHandler<Dependencies & { readonly domains: DomainStore }> =>
  endpoint(
    route,
    () => ({ ...makeDependencies(), domains: domainStore(table()) }),
    async (request, deps) =>
      handle(await requireDomain(deps.domains, request.organization, request.path.id), request, deps),
    presentation,
  );
