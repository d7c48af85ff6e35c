import { testNotifications } from '../../shared/operations/notifications/test-notifications.ts';
import { testDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { changed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(routes.sendTestNotification, testDependencies, async (request, deps) =>
  changed(await testNotifications(request.caller, request.form, deps), () => ({
    says: 'A test is on its way. Its result appears here within two minutes.',
  })),
);
