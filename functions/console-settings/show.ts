import { consolePages } from '../../shared/pages/console/layout.ts';
import { settingsPage } from '../../shared/pages/console/settings.ts';
import { settingsDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { settingsFor } from '../../shared/views/settings.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.showSettings,
  settingsDependencies,
  async ({ query: { page }, formToken, flash, ...viewer }, deps) =>
    reply(settingsPage({ ...(await settingsFor(viewer, page, deps)), formToken, flash })),
  consolePages,
);
