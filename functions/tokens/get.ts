import { missing } from '../../shared/api/common.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { tokensOf } from '../../shared/views/tokens.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getToken,
  () => ({ organizations: organizationStore(table()) }),
  async ({ organization, path }, deps) => {
    const token = (await tokensOf(organization, deps)).find(({ id }) => id === path.id);
    if (token === undefined) throw new ServiceError('not_found', missing.token);
    return reply(token);
  },
);
