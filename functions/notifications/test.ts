import { testNotifications } from '../../shared/operations/notifications/test-notifications.ts';
import { testDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.testNotifications, testDependencies, async (request, deps) =>
  answer(await testNotifications(asCaller(request), request.body, deps)),
);
