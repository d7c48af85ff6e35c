import { consolePages } from '../../shared/pages/console/layout.ts';
import { counted } from '../../shared/protocol/quantity.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { revokeToken } from '../tokens/rules.ts';
import { confirmDependencies, confirmed } from './confirmation-rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.revokeTokenInConsole,
  confirmDependencies,
  (request, deps) =>
    confirmed(routes.revokeTokenInConsole, request, deps, async () => {
      const { id, created } = request.form;
      const revoked = await revokeToken(request.organization, id, deps, { created: created !== undefined });
      const [{ name }, ...others] = revoked;
      const what = others.length === 0 ? 'is' : `and ${counted(others.length, 'token')} that it created are`;
      return {
        says: `The token ${name} ${what} revoked, and all sessions of revoked tokens have ended.`,
        subjects: revoked.map((one) => ({ id: one.id, name: one.name })),
      };
    }),
  consolePages,
);
