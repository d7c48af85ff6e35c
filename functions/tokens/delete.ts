import { missing } from '../../shared/api/common.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.deleteToken,
  () => ({ organizations: organizationStore(table()), clock }),
  async ({ organization, path }, { organizations, clock }) => {
    const tokens = await organizations.listTokens(organization);
    const token = tokens.find(({ id, revokedAt }) => id === path.id && revokedAt === null);
    if (token === undefined) throw new ServiceError('not_found', missing.token);
    await organizations.revokeToken(token, clock.now());
    return { ...reply({ deleted: true as const }), subjects: [{ id: token.id, name: token.name }] };
  },
);
