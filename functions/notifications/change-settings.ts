import { showNotifications } from '../../shared/api/notification-settings.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { changeDependencies, changeSettings } from './rules.ts';

export const handler = endpoint(
  routes.changeNotifications,
  changeDependencies,
  async ({ organization, body, ifMatch }, deps) => {
    const { newSecret, version, ...settings } = await changeSettings(organization, body, deps, ifMatch);
    const shown = showNotifications(settings);
    return { ...reply({ ...shown, webhookSecret: newSecret }), version, subjects: [{ id: null }] };
  },
);
