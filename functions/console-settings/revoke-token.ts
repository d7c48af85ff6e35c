import { consolePages } from '../../shared/pages/console/layout.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { revokeToken } from '../tokens/rules.ts';
import { confirmDependencies, confirmed } from './confirmation-rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.revokeTokenInConsole,
  confirmDependencies,
  (request, deps) =>
    confirmed(routes.revokeTokenInConsole, request, deps, async () => {
      const { id } = request.form;
      const { name } = await revokeToken(request.organization, id, deps);
      return {
        says: `The token ${name} is revoked, and its sessions have ended.`,
        subjects: [{ id, name }],
      };
    }),
  consolePages,
);
