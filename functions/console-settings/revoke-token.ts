import { consolePages } from '../../shared/pages/console/layout.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { revokeToken } from '../tokens/rules.ts';
import { routes } from './routes.ts';
import { changed, settingsDependencies } from './rules.ts';

export const handler = endpoint(
  routes.revokeTokenInConsole,
  settingsDependencies,
  ({ form: { id }, ...request }, deps) =>
    changed(request, deps, async () => {
      const { name } = await revokeToken(request.organization, id, deps);
      return {
        says: `The token ${name} is revoked, and its sessions have ended.`,
        subjects: [{ id, name }],
      };
    }),
  consolePages,
);
