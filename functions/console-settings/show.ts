import { consolePages } from '../../shared/pages/console/layout.ts';
import { settingsDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { showSettings } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.showSettings,
  settingsDependencies,
  async ({ query, ...request }, deps) => reply(await showSettings(request, deps, query)),
  consolePages,
);
