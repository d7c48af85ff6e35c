import { settingsPage } from '../../shared/pages/console/settings.ts';
import { settingsDependencies } from '../../shared/runtime/dependencies/settings.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { settingsFor } from '../../shared/views/settings.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showSettings,
  settingsDependencies,
  async ({ query: { page }, formToken, flash, ...viewer }, deps) =>
    reply(settingsPage({ ...(await settingsFor(viewer, page, deps)), formToken, flash })),
);
