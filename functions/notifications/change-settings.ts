import { showNotifications } from '../../shared/api/notification-settings.ts';
import { changeNotifications } from '../../shared/operations/notifications/change-notifications.ts';
import { changeDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.changeNotifications,
  changeDependencies,
  changeNotifications,
  ({ newSecret, ...settings }) => ({ ...showNotifications(settings), webhookSecret: newSecret }),
);
