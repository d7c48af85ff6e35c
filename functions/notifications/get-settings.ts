import { showNotifications } from '../../shared/api/notification-settings.ts';
import { settingsVersionOf } from '../../shared/operations/notifications/change-notifications.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getNotifications,
  () => ({ notifications: notificationSettingsStore(table()) }),
  async ({ organization }, { notifications }) => {
    const settings = await notifications.get(organization);
    return { data: showNotifications(settings), version: settingsVersionOf(settings) };
  },
);
