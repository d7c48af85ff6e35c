import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { revokeToken, tokenDependencies } from './rules.ts';

export const handler = endpoint(
  routes.deleteToken,
  tokenDependencies,
  async ({ organization, path, query }, deps) => {
    const created = query.created === 'revoke';
    const revoked = await revokeToken(organization, path.id, deps, { created });
    return { ...reply({ deleted: true as const }), subjects: revoked.map(({ id, name }) => ({ id, name })) };
  },
);
