import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { routes } from './routes.ts';
import { revokeToken } from './rules.ts';

export const handler = endpoint(
  routes.deleteToken,
  () => ({ organizations: organizationStore(table()), clock }),
  async ({ organization, path }, deps) => {
    const { id, name } = await revokeToken(organization, path.id, deps);
    return { ...reply({ deleted: true as const }), subjects: [{ id, name }] };
  },
);
