import { testNotifications } from '../../shared/operations/notifications/test-notifications.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { testDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { changed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.sendTestNotification,
  testDependencies,
  async (request, deps) =>
    changed(await testNotifications(asCaller(request), request.form, deps), () => ({
      says: 'A test is on its way. Its result appears here within two minutes.',
    })),
  consolePages,
);
