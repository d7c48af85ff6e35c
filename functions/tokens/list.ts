import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { pageOf } from '../../shared/runtime/http/reply.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { tokensOf } from '../../shared/views/tokens.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listTokens,
  () => ({ organizations: organizationStore(table()) }),
  async ({ organization, query }, deps) => pageOf(await tokensOf(organization, deps), query),
);
