import { showNotifications } from '../../shared/api/notification-settings.ts';
import { changeNotifications } from '../../shared/operations/notifications/change-notifications.ts';
import { changeDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(routes.changeNotifications, changeDependencies, async (request, deps) =>
  answer(await changeNotifications(asCaller(request), request.body, deps), ({ newSecret, ...settings }) => ({
    ...showNotifications(settings),
    webhookSecret: newSecret,
  })),
);
